/**
 * The changes that a site could make to the answers of a task's recordings, and whether each is noticed.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Change, changed, changesOf } from './changes.ts'
import { type Ran, type Recording, ran } from './recordings.ts'
import { type Loss, lossOf, matters, type Noticed, noticedAfter, type Pair } from './watched.ts'

export type Verdict = {
  readonly change: Change
  /** the recordings whose runs it changes; empty for a change that does not matter */
  readonly pairs: readonly Pair[]
  readonly noticed: Noticed | undefined
  /** only of a change that matters and is not noticed */
  readonly loss: Loss | undefined
}

/** @param isChosen by the number of the change: whether to try it */
export async function* changesIn(
  task: CatalogueTask,
  recordings: readonly Recording[],
  isChosen: (index: number) => boolean = () => true,
): AsyncGenerator<Verdict> {
  const healthy: { readonly recording: Recording; readonly before: Ran }[] = []
  for (const recording of recordings) {
    const before = await ran(recording, recording.exchanges)
    if (before.code === null) healthy.push({ recording, before })
  }
  const changes = changesOf(healthy.flatMap(({ recording }) => recording.exchanges)).filter((_, i) =>
    isChosen(i),
  )
  for (const change of changes) {
    const pairs: Pair[] = []
    for (const { recording, before } of healthy) {
      const exchanges = changed(recording.exchanges, change)
      const pair = { before, after: await ran(recording, exchanges) }
      if (matters(pair)) pairs.push(pair)
    }
    const noticed = pairs.length > 0 ? noticedAfter(task, pairs) : undefined
    const loss = pairs.length > 0 && !noticed ? lossOf(task, pairs) : undefined
    yield { change, pairs, noticed, loss }
  }
}
