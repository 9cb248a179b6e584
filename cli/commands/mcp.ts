import { Command } from 'commander';
import { serveBridge } from '../bridge/serve.ts';
import { chooseService } from '../service/service.ts';

const HELP = `
An MCP client starts this and speaks to it over standard input and output. WORKTRACK_PROJECT_ID sets the project of the session.
Files for upload_work_item_attachment are read here, under /tmp/ and the working directory.`;

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve the MCP tools over stdio, for clients that do not speak HTTP')
    .addHelpText('after', HELP)
    .action(async () => {
      // npm changes into its own folder; INIT_CWD is where it was called.
      await serveBridge(chooseService(), process.env.INIT_CWD ?? process.cwd());
    });
}
