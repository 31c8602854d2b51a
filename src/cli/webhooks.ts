/**
 * `gleaner webhooks`: manages the webhook endpoints of an account over the HTTP API.
 *
 * @module
 */
import type { Command } from 'commander'
import { columns } from './columns.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { type Io, outJson } from './io.ts'
import { type RemoteOptions, withClient, withRemote } from './remote.ts'

type Json = RemoteOptions & { readonly json?: true }
type Create = Json & { readonly types?: string; readonly description?: string }
type Replay = Json & {
  readonly event?: string
  readonly from?: string
  readonly until?: string
  readonly onlyFailed?: true
}

export function addWebhooks(program: Command, io: Io): void {
  const webhooks = program
    .command('webhooks')
    .description("Manages an account's webhooks on a running service.")
  const add = (name: string, about: string) =>
    withRemote(webhooks.command(name).description(about)).option('--json', 'Writes JSON.')
  const show = (json: true | undefined, value: object, text: () => string) =>
    json ? outJson(io, value) : io.out(text())

  add('list', 'Lists the endpoints.').action((options: Json) =>
    withClient(io, options, async (gleaner) => {
      const webhooks = await gleaner.webhooks.list()
      const rows = webhooks.map(({ webhook_id, url, types, state, disabled_reason, failing_since }) => {
        const more = disabled_reason ?? (failing_since === null ? null : `failing since ${failing_since}`)
        return [webhook_id, more === null ? state : `${state} (${more})`, url, types.join(',')]
      })
      show(options.json, { webhooks: webhooks }, () => columns(rows))
    }),
  )
  add('create', 'Creates an endpoint; its secret is shown once.')
    .argument('<url>', 'An https URL.')
    .option('--types <types>', 'Event types, separated by commas; the ends of runs by default.')
    .option('--description <text>', 'A text of your choice.')
    .action((url: string, { types, description, ...options }: Create) =>
      withClient(io, options, async (gleaner) => {
        const named = types === undefined ? {} : { types: types.split(',') as never[] }
        const webhook = await gleaner.webhooks.create({ url, ...named, ...(description && { description }) })
        const lost = 'The response with its secret was lost. Rotate the secret.'
        show(options.json, webhook, () => `${webhook.webhook_id}\n${webhook.secret ?? lost}\n`)
      }),
    )
  add('test', 'Sends a test event to an endpoint now.')
    .argument('<webhook>', 'Its id, like whk_….')
    .action((id: string, options: Json) =>
      withClient(io, options, async (gleaner) => {
        const result = await gleaner.webhooks.test(id)
        const { delivered, status, duration_ms, error } = result
        show(options.json, result, () =>
          delivered ? `delivered: ${status} in ${duration_ms} ms\n` : `not delivered: ${error}\n`,
        )
        if (!delivered) throw new CommandFailed('')
      }),
    )
  add('replay', 'Delivers an event, or all events of a period, again.')
    .argument('<webhook>', 'Its id, like whk_….')
    .option('--event <id>', 'One event.')
    .option('--from <time>', 'All events from this time on, like 2026-01-31T00:00:00Z.')
    .option('--until <time>', 'Up to this time; now by default.')
    .option('--only-failed', 'Only events whose delivery failed.')
    .action((id: string, { event, from, until, onlyFailed, ...options }: Replay) =>
      withClient(io, options, async (gleaner) => {
        const what = event !== undefined ? { event_id: event } : from !== undefined && { from }
        if (!what || (event !== undefined && from !== undefined))
          throw new UsageError('Use --event or --from.')
        const result = await gleaner.webhooks.replay(id, {
          ...what,
          ...(until && { until }),
          ...(onlyFailed && { only_failed: true }),
        })
        show(options.json, result, () =>
          result.deliveries === 1
            ? '1 delivery was queued\n'
            : `${result.deliveries} deliveries were queued\n`,
        )
      }),
    )
}
