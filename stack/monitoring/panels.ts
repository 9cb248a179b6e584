/** What the dashboards show: each panel answers the question in its title. The files that Grafana reads are made from this list. */
export interface Panel {
  readonly question: string;
  readonly unit: 's' | 'reqps' | 'percentunit' | 'short' | 'bytes' | 'eps';
  /** PromQL by legend; `{{label}}` in a legend is the label's value. */
  readonly queries: Readonly<Record<string, string>>;
}

export interface Dashboard {
  readonly file: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Grafana's: at least four scrapes. */
const RATE = '[$__rate_interval]';
const p99 = (metric: string, by: string, filter = '') =>
  `histogram_quantile(0.99, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket${filter}${RATE})))`;
const rate = (metric: string, by: string, filter = '') => `sum by (${by}) (rate(${metric}${filter}${RATE}))`;
/** A share that is 0, not missing, while there is nothing of the kind. */
const share = (part: string, whole: string) => `(sum(${part}) or vector(0)) / sum(${whole})`;

const GLANCE: Dashboard = {
  file: 'glance',
  title: 'worktrack: at a glance',
  panels: [
    {
      question: 'Which processes run?',
      unit: 'short',
      queries: { '{{job}}': 'sum by (job) (up{job=~"worktrack-.*"})' },
    },
    {
      question: 'How much is asked of it?',
      unit: 'reqps',
      queries: { '{{class}}': 'worktrack:requests:rate1m' },
    },
    {
      question: 'How fast is the budget for failures being spent? (1 = exactly the objective)',
      unit: 'short',
      queries: {
        '{{class}}, 1 h': 'worktrack:availability_burn:ratio1h or 0 * worktrack:requests:rate1m',
        '{{class}}, 6 h': 'worktrack:availability_burn:ratio6h or 0 * worktrack:requests:rate1m',
      },
    },
    {
      question: 'How fast is the budget for slow requests being spent? (1 = exactly the objective)',
      unit: 'short',
      queries: {
        '{{class}}, 1 h': 'worktrack:latency_burn:ratio1h',
        '{{class}}, 6 h': 'worktrack:latency_burn:ratio6h',
      },
    },
    {
      question: 'Which routes are used most?',
      unit: 'reqps',
      queries: { '{{method}} {{route}}': `topk(10, ${rate('worktrack_http_request_seconds_count', 'method, route')})` },
    },
    {
      question: 'Which routes fail, and with which status?',
      unit: 'reqps',
      queries: {
        '{{route}} {{status}}': `${rate('worktrack_http_request_seconds_count', 'route, status', '{status=~"5.."}')} or vector(0)`,
      },
    },
    {
      question: 'Which routes are slow? (99th percentile)',
      unit: 's',
      queries: {
        '{{route}}': `topk(10, ${p99('worktrack_http_request_seconds', 'route', '{route!="/api/events/stream"}')})`,
      },
    },
    {
      question: 'Which tools are used most?',
      unit: 'reqps',
      queries: { '{{tool}}': `topk(10, ${rate('worktrack_mcp_tool_calls_total', 'tool')})` },
    },
    {
      question: 'Which tools fail, and how?',
      unit: 'reqps',
      queries: {
        '{{tool}} {{outcome}}': `${rate('worktrack_mcp_tool_calls_total', 'tool, outcome', '{outcome!="ok"}')} or vector(0)`,
      },
    },
    {
      question: 'Which tools are slow? (99th percentile)',
      unit: 's',
      queries: { '{{tool}}': `topk(10, ${p99('worktrack_mcp_tool_seconds', 'tool')})` },
    },
    {
      question: 'Who is being slowed down by limits?',
      unit: 'reqps',
      queries: { '{{limit}}': rate('worktrack_gateway_limited_total', 'limit') },
    },
    {
      question: 'Do calls wait for their turn at the gateways?',
      unit: 'short',
      queries: { '{{instance}}': 'worktrack_gateway_waiting_calls' },
    },
    {
      question: 'How old is an event when a gateway has it for its streams? (99th percentile)',
      unit: 's',
      queries: { age: p99('worktrack_event_arrival_seconds', '') },
    },
    {
      question: 'How many streams are open, and why do they end?',
      unit: 'short',
      queries: {
        open: 'sum(worktrack_event_streams)',
        'ended: {{reason}}': `sum by (reason) (increase(worktrack_event_streams_ended_total${RATE}))`,
      },
    },
  ],
};

const INTAKE: Dashboard = {
  file: 'intake',
  title: 'worktrack: intake of feedback',
  panels: [
    {
      question: 'How many submissions come in, and what becomes of them?',
      unit: 'reqps',
      queries: {
        '{{outcome}}: {{reason}}': rate('worktrack_intake_outcomes_total', 'outcome, reason'),
      },
    },
    {
      question: 'How long does a visitor wait for the answer? (99th percentile)',
      unit: 's',
      queries: { '{{route}}': p99('worktrack_http_request_seconds', 'route', '{route=~"/feedback/.*"}') },
    },
    {
      question: 'Which share of submissions fails through our fault?',
      unit: 'percentunit',
      queries: {
        share: share(
          `rate(worktrack_http_request_seconds_count{route="/feedback/ingest",status=~"5.."}${RATE})`,
          `rate(worktrack_http_request_seconds_count{route="/feedback/ingest"}${RATE})`,
        ),
      },
    },
    {
      question: 'Do visitors wait because people and agents are at work?',
      unit: 'short',
      queries: {
        'waiting, {{instance}}': 'worktrack_intake_waiting_requests',
        'had to wait per second': `sum(rate(worktrack_intake_waited_total${RATE}))`,
      },
    },
    {
      question: 'Is feedback accepted that cannot be stored yet? (the spool)',
      unit: 'short',
      queries: {
        'waiting, {{instance}}': 'worktrack_intake_spool_records',
        'accepted per second': rate('worktrack_intake_outcomes_total', 'reason', '{reason="spooled"}'),
      },
    },
    {
      question: 'Was feedback accepted that will not be stored? (beside the spool)',
      unit: 'bytes',
      queries: { '{{instance}}': 'worktrack_intake_spool_aside_bytes' },
    },
    {
      question: 'How fast is feedback stored? (99th percentile)',
      unit: 's',
      queries: { '{{operation}}': p99('worktrack_rpc_server_seconds', 'operation', '{job="worktrack-feedback"}') },
    },
    {
      question: 'Are rates, duplicates and captchas checked without Redis?',
      unit: 'eps',
      queries: { '{{check}}': rate('worktrack_redis_fallbacks_total', 'check') },
    },
    {
      question: 'What happens to feedback afterwards?',
      unit: 'eps',
      queries: { '{{type}}': rate('worktrack_events_published_total', 'type', '{type=~"feedback.*"}') },
    },
  ],
};

const AGENTS: Dashboard = {
  file: 'agents',
  title: 'worktrack: agents at work',
  panels: [
    {
      question: 'How many tasks are claimed, released and finished?',
      unit: 'eps',
      queries: {
        '{{type}}': rate(
          'worktrack_events_published_total',
          'type',
          '{type=~"work_item\\\\.(claimed|released|ai_session|ready|dependency_returned)"}',
        ),
      },
    },
    {
      question: 'How many agents wait for something to do?',
      unit: 'short',
      queries: { waiting: 'sum(worktrack_waiting_claims)' },
    },
    {
      question: 'How does asking for a task end?',
      unit: 'reqps',
      queries: {
        '{{outcome}}': rate('worktrack_rpc_server_seconds_count', 'outcome', '{operation="workItems.claim"}'),
      },
    },
    {
      question: 'How long does a claim take, waiting included? (99th percentile)',
      unit: 's',
      queries: { claim: p99('worktrack_rpc_server_seconds', '', '{operation="workItems.claim"}') },
    },
    {
      question: 'Do agents vanish? (leases that expired)',
      unit: 'eps',
      queries: {
        expired: `sum(rate(worktrack_events_published_total{type="work_item.lease_expired"}${RATE})) or vector(0)`,
      },
    },
    {
      question: 'Are ended leases settled in time?',
      unit: 's',
      queries: { '{{instance}}': 'worktrack_lease_sweep_lag_seconds' },
    },
    {
      question: 'Do agents report progress, ask questions and get answers?',
      unit: 'reqps',
      queries: {
        '{{operation}}': rate(
          'worktrack_rpc_server_seconds_count',
          'operation',
          '{operation=~"workItems.(progress|comment|answer|completeAiTask|completeReview|completeValidation)"}',
        ),
      },
    },
    {
      question: 'Are agents refused: by conflicts and limits?',
      unit: 'reqps',
      queries: {
        '{{operation}} {{outcome}}': `${rate('worktrack_rpc_server_seconds_count', 'operation, outcome', '{job="worktrack-workitems",outcome=~"CONFLICT|RATE_LIMITED"}')} or vector(0)`,
      },
    },
    {
      question: 'How much work begins to need people? (questions, stalled agents, budgets, reviews)',
      unit: 'eps',
      queries: {
        'needs attention': `sum(rate(worktrack_events_published_total{type="work_item.needs_attention"}${RATE})) or vector(0)`,
      },
    },
    {
      question: 'Are the prices of models known?',
      unit: 'eps',
      queries: { 'unreadable price files': `sum(rate(worktrack_model_prices_unreadable_total${RATE})) or vector(0)` },
    },
  ],
};

const MACHINERY: Dashboard = {
  file: 'machinery',
  title: 'worktrack: machinery',
  panels: [
    {
      question: 'Which calls between services fail?',
      unit: 'reqps',
      queries: {
        '{{operation}} {{outcome}}': `${rate('worktrack_rpc_client_seconds_count', 'operation, outcome', '{outcome=~"UNAVAILABLE|DEADLINE_EXCEEDED|INTERNAL"}')} or vector(0)`,
      },
    },
    {
      question: 'Which calls between services are slow? (99th percentile)',
      unit: 's',
      queries: { '{{operation}}': `topk(10, ${p99('worktrack_rpc_client_seconds', 'operation')})` },
    },
    {
      question: 'How much of that is the handler, and how much the queue? (mean)',
      unit: 's',
      queries: {
        'as the caller sees it': `sum(rate(worktrack_rpc_client_seconds_sum${RATE})) / sum(rate(worktrack_rpc_client_seconds_count${RATE}))`,
        handler: `sum(rate(worktrack_rpc_server_seconds_sum${RATE})) / sum(rate(worktrack_rpc_server_seconds_count${RATE}))`,
      },
    },
    {
      question: 'Do calls await replies that do not come?',
      unit: 'short',
      queries: { '{{job}} {{instance}}': 'worktrack_rpc_pending_calls' },
    },
    {
      question: 'How many calls is each replica working on?',
      unit: 'short',
      queries: { '{{job}} {{instance}}': 'worktrack_rpc_working_calls' },
    },
    {
      question: 'How many calls travel in one message?',
      unit: 'short',
      queries: {
        '{{side}}': `sum by (side) (rate(worktrack_rpc_batch_items_sum${RATE})) / sum by (side) (rate(worktrack_rpc_batch_items_count${RATE}))`,
      },
    },
    {
      question: 'Which messages could not be run? (dead letters)',
      unit: 'short',
      queries: {
        '{{queue}} {{reason}}': `sum by (queue, reason) (increase(worktrack_rpc_dead_letters_total${RATE})) or vector(0)`,
      },
    },
    {
      question: 'Do commands wait for the database?',
      unit: 'short',
      queries: { '{{job}} {{state}}': 'sum by (job, state) (worktrack_database_connections)' },
    },
    {
      question: 'Are keys found in Redis?',
      unit: 'reqps',
      queries: { '{{outcome}}': rate('worktrack_identity_cache_total', 'outcome') },
    },
    {
      question: 'What was decided without Redis?',
      unit: 'eps',
      queries: {
        '{{check}}': rate('worktrack_redis_fallbacks_total', 'check'),
        'idempotency keys': `sum(rate(worktrack_gateway_idempotency_unchecked_total${RATE}))`,
      },
    },
    {
      question: 'Are events published in time? (the outbox)',
      unit: 's',
      queries: { '{{job}}': 'max by (job) (worktrack_outbox_lag_seconds)' },
    },
    {
      question: 'What goes into the log?',
      unit: 'eps',
      queries: { '{{type}}': rate('worktrack_events_published_total', 'type') },
    },
    {
      question: 'What becomes of deliveries to webhooks?',
      unit: 'eps',
      queries: { '{{state}}': rate('worktrack_webhook_deliveries_total', 'state') },
    },
    {
      question: 'How do endpoints answer, and how fast? (99th percentile)',
      unit: 's',
      queries: { '{{outcome}}': p99('worktrack_webhook_attempt_seconds', 'outcome') },
    },
    {
      question: 'Which webhooks fall behind?',
      unit: 'short',
      queries: { '{{webhook}}': 'topk(10, max by (webhook) (worktrack_webhook_backlog))' },
    },
    {
      question: 'How long have deliveries waited?',
      unit: 's',
      queries: { oldest: 'max(worktrack_webhook_lag_seconds)' },
    },
    {
      question: 'Are there enough replicas of events to send?',
      unit: 'short',
      queries: { '{{instance}}': 'worktrack_webhook_endpoints_under_way' },
    },
    {
      question: 'What becomes of messages to users, by mail and in chats?',
      unit: 'eps',
      queries: { '{{channel}}: {{state}}': rate('worktrack_notification_messages_total', 'channel, state') },
    },
    {
      question: 'How late are messages to users?',
      unit: 's',
      queries: { '{{channel}}': 'max by (channel) (worktrack_notification_lag_seconds)' },
    },
    {
      question: 'How much memory do processes use?',
      unit: 'bytes',
      queries: { '{{job}} {{instance}}': 'process_resident_memory_bytes{job=~"worktrack-.*"}' },
    },
    {
      question: 'How much CPU do processes use? (cores)',
      unit: 'short',
      queries: { '{{job}} {{instance}}': `rate(process_cpu_seconds_total{job=~"worktrack-.*"}${RATE})` },
    },
    {
      question: 'Does a process have no CPU left? (event loop lag, 99th percentile)',
      unit: 's',
      queries: { '{{job}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds{job=~"worktrack-.*"}' },
    },
  ],
};

export const DASHBOARDS: readonly Dashboard[] = [GLANCE, INTAKE, AGENTS, MACHINERY];
