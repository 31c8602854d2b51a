/** The table of recorded answers in docs/sources.md is current. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canRun, evidenceOf, readSources } from '../../test/sources/evidence.ts'
import { recordedTable, tableAt } from '../../test/sources/tables.ts'

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sources.md'), 'utf8')
const sources = await readSources()

test.skipIf(!canRun(sources))(
  'the table of recorded answers in docs/sources.md is current (npm run sources updates it)',
  async () => {
    const all = []
    for (const recorded of sources)
      for (const task of recorded.source.tasks) all.push(await evidenceOf(recorded, task))
    expect(tableAt(document, 'recorded').split('\n')).toEqual(recordedTable(all).split('\n'))
  },
  120_000,
)
