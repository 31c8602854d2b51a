/**
 * The items of several runs in one file.
 *
 * @module
 */
import type { AdmittedRun } from '../../../domain/run.ts'
import { pieces } from '../../../http/answers.ts'
import { itemTexts } from '../../../runs/items/page.ts'
import type { AccountVisitor } from '../../visitor.ts'

/**
 * Answers with one item a line: `{"run_id": …, "task_key": …, "item": {…}}`. Fields of items may have any names, so the
 * item stands alone.
 */
export function downloadAll({ deps, call }: AccountVisitor, all: readonly AdmittedRun[]): Promise<Response> {
  async function* lines(): AsyncGenerator<string> {
    for (const run of all) {
      const front = JSON.stringify({ run_id: run.runId, task_key: run.taskKey }).slice(0, -1)
      for await (const group of itemTexts(await deps.runs.items(run)))
        yield group.map((item) => `${front},"item":${item}}\n`).join('')
    }
  }
  const options = {
    contentType: 'application/x-ndjson',
    headers: { 'content-disposition': 'attachment; filename="runs.ndjson"' },
    broken: 'A download of the items of several runs broke off. Its reader has an incomplete file.',
  }
  return call.time.except(pieces(deps, call, lines(), options))
}
