/**
 * One capture: what its run asked the source, and what came back; as a page, and as a cassette to download.
 *
 * @module
 */
import { type Capture, readCapture, removeCapture } from '../../../../health/captures/list.ts'
import { html } from '../../../../html.ts'
import { json } from '../../../../http/answers.ts'
import { existing } from '../../../../http/problems.ts'
import { copyId } from '../../../components/copy-id.ts'
import { question } from '../../../components/forms.ts'
import { icon } from '../../../components/icon.ts'
import { facts, time } from '../../../components/parts.ts'
import { size } from '../../../components/size.ts'
import { page } from '../../../layout.ts'
import { seeOther } from '../../../redirect.ts'
import { operatorRoute } from '../../../route.ts'
import type { Visitor } from '../../../visitor.ts'
import { accountLink } from '../../account-link.ts'
import { exchangeSections } from './exchanges.ts'
import { endOf } from './list.ts'

const PATH = '/console/operator/sources/:source/captures/:capture'

export const capturePages = [
  operatorRoute('GET', PATH, show),
  operatorRoute('GET', `${PATH}/cassette`, download),
  operatorRoute('POST', `${PATH}/delete`, remove),
]

/** @throws {Problem} 404 when it does not exist, has expired, or is of another source */
async function captureOf({ deps, call }: Visitor) {
  const { capture: id = '', source } = call.params
  const stored = await readCapture(deps, id)
  return existing(stored?.capture.source === source ? stored : undefined)
}

const pathOf = ({ base }: Visitor, { source, id }: Pick<Capture, 'source' | 'id'>): string =>
  `${base}/console/operator/sources/${source}/captures/${id}`

async function show(visitor: Visitor): Promise<Response> {
  const { deps, base, memberships } = visitor
  const { capture, cassette } = await captureOf(visitor)
  const { id, task_key, source, run_id, account_id, at, bytes } = capture
  const path = pathOf(visitor, capture)
  const isMember = memberships.some(({ accountId }) => accountId === account_id)
  const run = html`${copyId(run_id, 'the id of the run')}${isMember && html` <a href="${base}/console/${account_id}/runs/${run_id}">Open the run</a>`}`
  const body = html`${facts([
    ['Stored', time(at)],
    ['End', endOf(capture)],
    ['Run', run],
    ['Account', await accountLink(visitor, account_id)],
    ['Compressed', size(bytes)],
    ['Capture', copyId(id, 'the id of the capture')],
  ])}
<p>${copyId(`npm run gleaner -- captures save ${id}`, 'the command')}</p>
<p class="hint">It writes the capture as a recording, with a failing test, into the folder of the plugin.</p>
<p>${copyId(`npm run gleaner -- repair ${task_key}`, 'the command')}</p>
<p class="hint">It gathers what mending the parser needs.</p>
<h2>Input</h2>
<pre tabindex="0" aria-label="Input"><code>${JSON.stringify(cassette.input, null, 2).slice(0, 10_000)}</code></pre>
<h2>Requests and answers</h2>
${exchangeSections(cassette.exchanges)}`
  const actions = html`<div class="actions"><a class="button quiet" href="${path}/cassette">${icon(base, 'download')}Download the cassette</a>
${question('Delete', 'The stored answers of this run are deleted for everybody.', `${path}/delete`)}</div>`
  const title = deps.catalogue.get(task_key)?.declaration.title ?? task_key
  const lead = html`What <a href="${base}/console/operator/sources/${source}">${deps.catalogue.source(source)?.title ?? source}</a> answered to a run, without secrets.`
  return page(visitor, { title: `Capture of ${title}`, lead, actions, body })
}

async function download(visitor: Visitor): Promise<Response> {
  const { capture, cassette } = await captureOf(visitor)
  const name = `${capture.task_key}-${capture.at.slice(0, 10)}-${capture.id.slice(-6)}.json`
  return json(`${JSON.stringify(cassette, null, 2)}\n`, 200, {
    'content-disposition': `attachment; filename="${name}"`,
  })
}

async function remove(visitor: Visitor): Promise<Response> {
  const { capture } = await captureOf(visitor)
  await removeCapture(visitor.deps, capture.id)
  return seeOther(`${visitor.base}/console/operator/sources/${capture.source}#captures`)
}
