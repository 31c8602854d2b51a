/**
 * What events are about.
 *
 * @module
 */
import { accountStream, parseRunId } from '../../../domain/ids.ts'
import { type Html, html } from '../../../html.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { runLink } from '../runs/rows.ts'

/** Links to the subjects of events, by the names of their streams: runs with their titles, others by their ids. */
export async function subjectsOf(
  visitor: AccountVisitor,
  streams: readonly string[],
): Promise<ReadonlyMap<string, Html>> {
  const { deps, call, accountId } = visitor
  const loaded = await Promise.all(
    [...new Set(streams)].map(async (stream) => {
      const id = stream.startsWith('run-') ? parseRunId(stream.slice('run-'.length)) : undefined
      return { stream, run: id && (await deps.runs.find(id, accountId))?.state }
    }),
  )
  const titles = await call.time.except(deps.titles.ofMany(loaded.flatMap(({ run }) => run ?? [])))
  return new Map(
    loaded.map(({ stream, run }) => [
      stream,
      run
        ? runLink(visitor, run, titles.get(run.runId) ?? null)
        : stream === accountStream(accountId)
          ? html`this account`
          : html`<code>${stream}</code>`,
    ]),
  )
}
