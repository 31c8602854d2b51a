/**
 * One source: how each of its tasks works, and what holds for its requests.
 *
 * @module
 */
import { OBSTACLES, type Obstacle, obstaclesOf } from '../../../health/canary/obstacles.ts'
import { capturesOf } from '../../../health/captures/list.ts'
import { standingsOf } from '../../../health/standings.ts'
import { html } from '../../../html.ts'
import { existing } from '../../../http/problems.ts'
import { unlessAway } from '../../../log/away.ts'
import { barLegend, barPatterns } from '../../components/day-bars.ts'
import { worries, worstOf } from '../../components/health.ts'
import { badge, facts, outside } from '../../components/parts.ts'
import { page } from '../../layout.ts'
import { operatorRoute } from '../../route.ts'
import type { Visitor } from '../../visitor.ts'
import { processes } from '../processes.ts'
import { captureSection } from './captures/list.ts'
import { KINDS } from './days.ts'
import { tasksText } from './list.ts'
import { access, hostList, limitTable } from './requests.ts'
import { taskSection } from './task.ts'

export const sourcePages = [operatorRoute('GET', '/console/operator/sources/:source', show)]

async function show(visitor: Visitor): Promise<Response> {
  const { deps, call, base } = visitor
  const source = existing(deps.catalogue.source(call.params.source ?? ''))
  const tasks = deps.catalogue.tasks.filter((task) => task.source.name === source.name)
  const [standings, obstacles, captures] = await Promise.all([
    standingsOf(deps, tasks),
    obstaclesOf(deps, tasks),
    unlessAway(capturesOf(deps, source.name)),
  ])
  // What needs attention comes first.
  const tried = standings
    .filter(({ row }) => row !== undefined)
    .toSorted((a, b) => worries(b.health) - worries(a.health))
  const sections = await Promise.all(
    tried.map((standing) =>
      taskSection(visitor, standing, {
        obstacle: obstacles.get(standing.task.key),
        capture: captures?.find(({ task_key }) => task_key === standing.task.key),
      }),
    ),
  )
  const others = standings.filter(({ row }) => row === undefined)
  const isReplaced = deps.config.sourceOrigins.has(source.name)
  const hasOwnPace = deps.config.sourceWays.get(source.name)?.pace !== undefined
  const body = html`${barPatterns([...KINDS.map(([, look]) => look), 'one'])}${facts([
    [
      'State',
      html`${badge(worstOf(standings.map(({ health }) => health)))} <span class="hint">${tasksText(standings)}</span>`,
    ],
    ['Name', html`<code>${source.name}</code>`],
    ['Site', outside(source.origin, new URL(source.origin).host)],
    ...access(visitor, source),
  ])}
${isReplaced && html`<p class="notice warn"><code>SOURCE_${source.name.toUpperCase()}_ORIGIN</code> is set: all requests go to that address, not to the site.</p>`}
<h2>Tasks</h2>
${sections.length > 0 && html`<div class="status-legend">${barLegend(KINDS.map(([, look, words]) => [look, words]))}</div>`}
${sections}
${others.length > 0 && html`<p>No run that counts yet: ${others.map(({ task }, i) => html`${i > 0 && ', '}${task.declaration.title} <code>${task.key}</code>${skipped(obstacles.get(task.key))}`)}. <span class="hint">Runs that only lacked a login, and cancelled runs, do not count.</span></p>`}
${captureSection(visitor, source.name, captures)}
<h2>Processes</h2>
${processes(deps, base, deps.node().worker, source.name)}
<h2>Limits of requests</h2>
${limitTable(deps.limits(source))}
<p class="hint">Accounts take turns within these limits, on all nodes. They are set in ${hasOwnPace ? html`<code>SOURCE_${source.name.toUpperCase()}_PACE</code>` : html`<code>pace</code> of the plugin`}.${deps.config.contact === null && source.pace?.withoutContact !== undefined && !isReplaced && !hasOwnPace && html` They are lower as long as <code>CONTACT</code> is not set.`}</p>
<h2>Hosts</h2>
${hostList(source)}`
  return page(visitor, { title: source.title, body })
}

const skipped = (obstacle: Obstacle | undefined): string =>
  obstacle ? ` (the canary does not try it: ${OBSTACLES[obstacle]})` : ''
