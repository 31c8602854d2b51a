/**
 * A site that changes is noticed within 20 runs, whatever part of its answers it drops, renames or empties: as drifting
 * fields or by the ends of the runs. A sample of all changes, `npm run changed-sites` tries every one.
 */
import { describe, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { cassetteRecordings } from './recordings.ts'
import { changesIn, type Verdict } from './verdicts.ts'

/** One change of so many is tried. */
const EVERY = 12

/** Changes after which an answer means something else: no such place, or a page that only members can read. */
const ANOTHER_ANSWER: Readonly<Record<string, RegExp>> = {
  'realty_a.search': /^\.matches /,
  'realty_b.search': /^\.payload\.sections/,
  'photo.profile-download': /^\.(?:__bbox|user)\b/,
}

const catalogue = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const recordings = cassetteRecordings(catalogue).filter(({ task }) => !task.declaration.needs?.browser)

describe('a change of the site is noticed', () => {
  const tasks = Map.groupBy(recordings, ({ task }) => task)
  test.each([...tasks].map(([task, own]) => [task.key, task, own] as const))('%s', async (key, task, own) => {
    const verdicts: Verdict[] = []
    for await (const verdict of changesIn(task, own, (i) => i % EVERY === 0)) verdicts.push(verdict)
    expect(verdicts.some(({ noticed }) => noticed)).toBe(true)
    // Half of the values is the limit of a drift: whether 20 runs prove that is up to the recording.
    const missed = verdicts.filter(
      ({ change, loss }) =>
        change.way !== 'dropped in every second' && (loss?.kind === 'fields' || loss?.kind === 'end'),
    )
    const said = missed.map(({ change, loss }) => `${change.part} ${change.way}: ${loss?.words}`)
    expect(said.filter((each) => !ANOTHER_ANSWER[key]?.test(each))).toEqual([])
  })
})
