/**
 * The service on Bun and on Deno, side by side: the same requests have the same answers. One pair of servers for all, as
 * their starts cost more than most of what they are asked. The order matters: what looks at all events of the account
 * comes before what makes many, and what kills processes comes last.
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
