"""An MCP client as its SDK makes it: it is told an address, and finds the rest. Prints where a browser must go, and reads where the browser came back to."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken


class Storage:
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def redirect(url: str) -> None:
    print(url, flush=True)


async def callback() -> AuthorizationCodeResult:
    line = await asyncio.to_thread(sys.stdin.readline)
    given = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=given["code"], state=given.get("state"), iss=given.get("iss"))


async def main(address: str, document: str | None) -> None:
    storage = Storage()
    provider = OAuthClientProvider(
        address,
        OAuthClientMetadata(client_name="Test app", redirect_uris=["http://127.0.0.1:4711/callback"]),
        storage,
        redirect,
        callback,
        client_metadata_url=document,
    )
    async with (
        httpx2.AsyncClient(auth=provider) as http,
        streamable_http_client(address, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        tools = await session.list_tools()
        listed = await session.call_tool("list_work_items", {})
        assert storage.client is not None
        print(
            json.dumps(
                {
                    "tools": [tool.name for tool in tools.tools],
                    "isError": listed.is_error,
                    "clientId": storage.client.client_id,
                }
            )
        )


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
