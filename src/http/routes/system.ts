/**
 * Endpoints for operating the service: liveness, readiness, metrics.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { projections } from '../../../projections/all.ts'
import { runs } from '../../../projections/runs.ts'
import { withTimeout } from '../../async/delay.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Endpoint, group, rawEndpoint, reply } from '../endpoint.ts'
import { newRequestId, pathOf } from '../pipeline.ts'
import { Problem, problemResponse } from '../problems.ts'

/** A store that does not answer within this time is reported as missing, in milliseconds. */
const PROBE_MS = 1500
/** Read models that lag behind the log for this long are reported as missing, in milliseconds. */
const MAX_LAG_MS = 1500

const systemRoute = group({ access: { kind: 'public' }, rate: null, tag: 'System' })
/** Declares an endpoint that needs no key and ignores its query, since probes and links bring words of their own. */
export const openRoute: typeof systemRoute = (...declaration) => rawEndpoint(systemRoute(...declaration))
const NO_STORE = { 'cache-control': 'no-store' }
const ALIVE = { status: 'ok' }

const Readiness = Type.Object({
  status: Type.String({ enum: ['ready', 'degraded', 'not-ready'] }),
  checks: Type.Record(Type.String(), Type.String({ enum: ['ok', 'missing'] }), {
    examples: [{ log: 'ok', 'read-models': 'ok', projections: 'ok' }],
  }),
})
const NOT_READY = {
  status: 'not-ready',
  checks: { log: 'missing', 'read-models': 'ok', projections: 'missing' },
}

/** `/healthz`, `/readyz` and `/metrics`. */
export const systemEndpoints = (deps: Deps): Endpoint[] => [
  openRoute('GET', '/healthz', {
    id: 'getHealth',
    summary: 'Check that the process is alive',
    answers: { 200: reply('The process is alive.', Type.Object({ status: Type.Literal('ok') })) },
    handle: () => answer(ALIVE),
  }),
  openRoute('GET', '/readyz', {
    id: 'getReadiness',
    summary: 'Check that requests can be sent here',
    description:
      '`ready`: everything works. `degraded`: the read models are unavailable or lag behind, so calls that need them ' +
      'answer 503 (lists, the ledger); task calls, runs by id, cancels and the event feed work. Or the object store is ' +
      'unavailable, so task calls and results answer 503. `not-ready`: the event log is unavailable, or the process is ' +
      'starting or stopping.',
    answers: {
      200: reply('Requests can be sent here. `checks` names what is missing.', Readiness),
      503: reply('Do not send requests here now. `checks` names what is missing.', Readiness, NOT_READY),
    },
    handle: () => readiness(deps),
  }),
  systemRoute('GET', '/metrics', {
    access: { kind: 'operator' },
    id: 'getMetrics',
    summary: 'Read the metrics, for Prometheus',
    answers: {
      200: {
        description: 'All metrics of this process.',
        content: { 'text/plain': Type.String() },
        example:
          '# TYPE gleaner_runs_ended_total counter\ngleaner_runs_ended_total{task="encyclopedia.search",end="succeeded"} 12\n',
      },
    },
    handle: async () =>
      new Response(await deps.metrics.text(), { headers: { 'content-type': deps.metrics.contentType } }),
  }),
]

/** Whether each store answers in time; `projections`: whether the read models are current. */
export type Checks = Readonly<Record<string, 'ok' | 'missing'>>

/** Asks every store. The causes of failures are logged. */
export async function checkStores({
  log,
  readModels,
  artifacts,
  waitUntilProjected,
  logger,
}: Deps): Promise<Checks> {
  const check = async (name: string, probe: () => Promise<unknown>): Promise<'ok' | 'missing'> => {
    try {
      await withTimeout(PROBE_MS, probe(), () => new Error('no answer in time'))
      return 'ok'
    } catch (error) {
      // The response only names the check, because no key is needed to request it.
      logger.warn(
        { err: error, check: name },
        'A readiness check failed. /readyz reports it until it passes.',
      )
      return 'missing'
    }
  }
  const allFresh = async () => {
    // Checks every model: each can be lost separately, and a new version of one may still be filling.
    const fresh = await Promise.all(projections.map((model) => waitUntilProjected(model, MAX_LAG_MS)))
    if (fresh.includes(false)) throw new Error('the read models lag behind the log')
  }
  const [logCheck, readModelCheck, projectionCheck, artifactCheck] = await Promise.all([
    check('log', async () => {
      await log.head()
      // A full disk can be read.
      await log.writable?.()
    }),
    check('read-models', () => readModels.checkpoint(runs)),
    check('projections', allFresh),
    artifacts.check && check('artifacts', async () => artifacts.check?.()),
  ])
  return {
    log: logCheck,
    'read-models': readModelCheck,
    projections: projectionCheck,
    ...(artifactCheck && { artifacts: artifactCheck }),
  }
}

async function readiness(deps: Deps): Promise<Response> {
  const checks = await checkStores(deps)
  const isUp = checks.log === 'ok' && !deps.shuttingDown()
  const ready = Object.values(checks).includes('missing') ? 'degraded' : 'ready'
  return answer({ status: isUp ? ready : 'not-ready', checks }, isUp ? 200 : 503, NO_STORE)
}

/** Retry-After while the service starts, in seconds. */
const START_RETRY_S = 1

/** Answers any request while the service starts. The start lasts until its stores are available. */
export function whileStarting(request: Request, publicUrl: string): Response {
  const instance = pathOf(request.url)
  const requestId = newRequestId()
  const headers = { 'x-request-id': requestId, ...NO_STORE }
  if (instance === '/healthz') return answer(ALIVE, 200, headers)
  if (instance === '/readyz')
    return answer({ status: 'not-ready', checks: { start: 'missing' } }, 503, headers)
  const problem = new Problem('store-unavailable', {
    detail: 'The service is starting. Nothing was changed; send the request again.',
    extras: { retry_after_s: START_RETRY_S },
  })
  return problemResponse(problem, { requestId, instance, publicUrl })
}
