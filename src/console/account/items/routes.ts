/**
 * The routes of a run's result: its items one by one, the reader's columns, pictures and downloads.
 *
 * @module
 */
import { formOf } from '../../form.ts'
import { seeOther } from '../../redirect.ts'
import { accountRoute } from '../../route.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { seenIn } from '../run/find.ts'
import { choiceCookie } from './chosen.ts'
import { MOST_COLUMNS } from './columns.ts'
import { downloadFile, downloadItems } from './downloads.ts'
import { showImage } from './images.ts'
import { itemJson, showItem } from './item.ts'
import { tableAsText } from './tsv.ts'
import { ALL, columnsText, queryOf, viewOf } from './view.ts'

const PATH = '/runs/:run_id'
/** Longer addresses may be refused on their way. Only fields with strange names make any. */
const LONGEST_ADDRESS = 4000

export const itemRoutes = [
  accountRoute('GET', `${PATH}/items/:number`, 'viewer', showItem),
  accountRoute('GET', `${PATH}/items/:number/json`, 'viewer', itemJson),
  accountRoute('GET', `${PATH}/images/:number/:n`, 'viewer', showImage),
  accountRoute('GET', `${PATH}/download/:format`, 'viewer', downloadItems),
  accountRoute('GET', `${PATH}/table.tsv`, 'viewer', tableAsText),
  accountRoute('GET', `${PATH}/files/:name`, 'viewer', downloadFile),
  accountRoute('POST', `${PATH}/columns`, 'viewer', pickColumns),
]

/** Shows the picked columns, and remembers them for the task. */
async function pickColumns(visitor: AccountVisitor): Promise<Response> {
  const { deps, call, own } = visitor
  const run = (await seenIn(visitor)).state
  const form = formOf(visitor, ['columns'])
  const choice = form.text('choice')
  const picked = [...new Set(form.all('columns'))].slice(0, MOST_COLUMNS)
  const names = choice === ALL ? [ALL] : choice === 'reset' ? [] : picked
  const query = new URLSearchParams(
    ['from', 'before', 'sort', 'find', 'images'].map((name) => [name, form.text(name)]),
  )
  const columns = names.length === 0 || choice === ALL ? names : columnsText(names)
  const address = queryOf({ ...viewOf({ searchParams: query }), columns })
  const answer = seeOther(`${own}/runs/${run.runId}${address.length <= LONGEST_ADDRESS ? address : ''}#items`)
  answer.headers.append('set-cookie', choiceCookie(call.request, deps.config.publicUrl, run.taskKey, names))
  return answer
}
