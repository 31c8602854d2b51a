/** The table of recorded answers in docs/sources.md, and fill.json of each plugin, are current. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canRun, evidenceOf, readSources } from '../../test/sources/evidence.ts'
import { fillFiles } from '../../test/sources/fills.ts'
import { recordedTable, tableAt } from '../../test/sources/tables.ts'

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sources.md'), 'utf8')
const sources = await readSources()

test.skipIf(!canRun(sources))(
  'the table of recorded answers in docs/sources.md and fill.json of each plugin are current (npm run sources updates them)',
  async () => {
    const all = []
    for (const recorded of sources)
      for (const task of recorded.source.tasks) all.push(await evidenceOf(recorded, task))
    expect(tableAt(document, 'recorded').split('\n')).toEqual(recordedTable(all).split('\n'))
    const files = fillFiles(
      sources.map(({ source }) => source),
      all,
    )
    expect(files.map(([path]) => [path, readFileSync(path, 'utf8')])).toEqual(files)
  },
  120_000,
)
