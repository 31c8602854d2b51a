/**
 * The service on Bun and on Deno, side by side: the same requests get the same answers. All tests share one pair of
 * servers, because a start costs more than most tests. The order matters: tests that read all events of the account come
 * before those that make many, and tests that kill processes come last.
 *
 * @module
 */
import './alike/answers.ts'
import './alike/streams.ts'
import './alike/runs.ts'
import './alike/webhooks.ts'
import './alike/mcp.ts'
import './alike/connections.ts'
import './alike/artifacts.ts'
import './alike/extractors.ts'
