/**
 * What runs the service rather than uses it: is it alive, is it ready, what does it count.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { projections } from '../../../projections/all.ts'
import { runs } from '../../../projections/runs.ts'
import { withTimeout } from '../../async/delay.ts'
import type { Metrics } from '../../metrics.ts'
import { json } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Endpoint } from '../endpoint.ts'

export type SystemDeps = Pick<Deps, 'log' | 'readModels' | 'freshness' | 'logger' | 'shuttingDown'> & {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
}

/** A store that does not answer by then is missing, in milliseconds. */
const PROBE_MS = 1500
/** Read models that lack for so long what the log has are not ready, in milliseconds. */
const MOST_LAG_MS = 1500

const Ready = Type.Object({
  status: Type.String({ enum: ['ready', 'not-ready'] }),
  checks: Type.Record(Type.String(), Type.String({ enum: ['ok', 'missing'] })),
})

/** `/healthz`, `/readyz` and `/metrics`. */
export const systemEndpoints = (deps: SystemDeps): Endpoint[] => [
  {
    method: 'GET',
    path: '/healthz',
    access: { kind: 'public' },
    rate: null,
    doc: {
      id: 'getHealth',
      tag: 'System',
      summary: 'Is the process alive',
      answers: {
        200: {
          description: 'It is.',
          schema: Type.Object({ status: Type.Literal('ok') }),
          example: { status: 'ok' },
        },
      },
    },
    handle: () => json('{"status":"ok"}'),
  },
  {
    method: 'GET',
    path: '/readyz',
    access: { kind: 'public' },
    rate: null,
    doc: {
      id: 'getReadiness',
      tag: 'System',
      summary: 'May requests be sent here',
      description: 'Whether the event log and the read models can be reached and are up to date.',
      answers: {
        200: {
          description: 'They may.',
          schema: Ready,
          example: { status: 'ready', checks: { log: 'ok', 'read-models': 'ok', projections: 'ok' } },
        },
        503: {
          description: 'Not now; `checks` names what is missing.',
          schema: Ready,
          example: {
            status: 'not-ready',
            checks: { log: 'ok', 'read-models': 'ok', projections: 'missing' },
          },
        },
      },
    },
    handle: () => readiness(deps),
  },
  {
    method: 'GET',
    path: '/metrics',
    access: { kind: 'operator' },
    rate: null,
    doc: {
      id: 'getMetrics',
      tag: 'System',
      summary: 'Figures for Prometheus',
      answers: {
        200: {
          description: 'All figures of this process.',
          contentType: 'text/plain',
          schema: Type.String(),
          example:
            '# TYPE gleaner_runs_ended_total counter\ngleaner_runs_ended_total{task="encyclopedia.search",end="succeeded"} 12\n',
        },
      },
    },
    handle: async () =>
      new Response(await deps.metrics.text(), { headers: { 'content-type': deps.metrics.contentType } }),
  },
]

async function readiness(deps: SystemDeps): Promise<Response> {
  const { log, readModels, freshness, logger } = deps
  const probes: Record<string, () => Promise<unknown>> = {
    log: () => log.head(),
    'read-models': () => readModels.position(runs),
    projections: async () => {
      // All of them: each may have been lost alone, and a new version of one may still be filling.
      const fresh = await Promise.all(projections.map((model) => freshness(model, MOST_LAG_MS)))
      if (fresh.includes(false)) throw new Error('the read models lag behind the log')
    },
  }
  const outcomes = Object.entries(probes).map(async ([name, probe]) => {
    try {
      await withTimeout(PROBE_MS, probe(), () => new Error('no answer in time'))
      return [name, 'ok'] as const
    } catch (error) {
      // The answer says which one it is; why is no business of who may ask without a key.
      logger.warn({ err: error, check: name }, 'not ready')
      return [name, 'missing'] as const
    }
  })
  const checks = await Promise.all(outcomes)
  const ready = !deps.shuttingDown() && checks.every(([, outcome]) => outcome === 'ok')
  const body = { status: ready ? 'ready' : 'not-ready', checks: Object.fromEntries(checks) }
  return json(JSON.stringify(body), ready ? 200 : 503, { 'cache-control': 'no-store' })
}
