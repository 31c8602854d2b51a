/**
 * The endpoints of runs: one run, its items, events and files, all runs of an account, and cancelling.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { parseRunId } from '../../domain/ids.ts'
import { isAdmitted } from '../../domain/run-state.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import { RunRefused } from '../../runs/commands.ts'
import { json } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { RUN_CANCELLED, RUN_SUCCEEDED } from '../openapi/examples.ts'
import { RunSchema } from '../openapi/schemas.ts'
import { Problem } from '../problems.ts'
import { validBody } from '../valid-body.ts'
import { downloadArtifact } from './downloads.ts'
import { findRun, findSeen, RUNS } from './find-run.ts'
import { runEvents } from './run-events.ts'
import { runItems } from './run-items.ts'
import { listRuns } from './run-list.ts'
import { waitForEnd } from './wait.ts'

/** All of them. */
export const runEndpoints = (deps: Deps): Endpoint[] => [
  listRuns(deps),
  getRun(deps),
  cancelRun(deps),
  runItems(deps),
  runEvents(deps),
  downloadArtifact(deps),
]

function getRun(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/runs/:run_id',
    ...RUNS,
    doc: {
      id: 'getRun',
      tag: 'Runs',
      summary: 'Get a run',
      description:
        'Poll it until `run_status` is terminal: first after 3 seconds, then double the delay each time up to 30 ' +
        'seconds, each with a random factor from 0.9 to 1.1. Or let `wait` hold the answer until the run has ended.',
      query: [
        {
          name: 'wait',
          description: 'Seconds to wait for the end of the run at most; then it is shown as it stands.',
          schema: Type.Integer({ minimum: 0, maximum: 60 }),
          example: 30,
        },
      ],
      answers: { 200: { description: 'The run.', schema: RunSchema, example: RUN_SUCCEEDED } },
      problems: ['not-found'],
    },
    handle: (call: Call<KeyPrincipal>) => {
      const id = parseRunId(call.params.run_id ?? '')
      const known = id && deps.runs.remembered(id, call.principal.accountId)
      return known === undefined ? readRun(deps, call) : json(known)
    },
  }
}

async function readRun(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const run = await findRun(deps, call)
  const wait = Number(call.query.get('wait') ?? 0)
  const ended = await waitForEnd(deps, run, wait, call)
  return json(await call.time.except(deps.runs.render(ended)))
}

function cancelRun(deps: Deps): Endpoint {
  return {
    method: 'POST',
    path: '/v1/runs/:run_id/cancel',
    ...RUNS,
    doc: {
      id: 'cancelRun',
      tag: 'Runs',
      summary: 'Cancel a run',
      description:
        'A queued run is cancelled at once, a running one within 10 seconds. What it has collected by then is kept, ' +
        'and its credits come back. Cancelling it again changes nothing.',
      answers: {
        202: { description: 'The run as it stands now.', schema: RunSchema, example: RUN_CANCELLED },
      },
      problems: [
        'malformed-json',
        'not-found',
        'run-finished',
        'unsupported-media-type',
        'validation-failed',
      ],
    },
    handle: (call: Call<KeyPrincipal>) => cancel(deps, call),
  }
}

const NOTHING = Type.Object({})

async function cancel(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const { principal, requestId } = call
  await validBody(call, NOTHING)
  const seen = await findSeen(deps, call)
  const { runId } = seen.state
  try {
    const cause = { causationId: requestId, now: deps.now() }
    const command = { type: 'cancel', keyId: principal.keyId } as const
    const { state } = await deps.commands.give(runId, command, cause, seen)
    if (!isAdmitted(state)) throw new Problem('not-found')
    const run = await call.time.except(deps.runs.render(state))
    return json(run, 202, { 'run-id': runId, location: `/v1/runs/${runId}` })
  } catch (error) {
    if (!(error instanceof RunRefused) || error.refusal !== 'ended') throw error
    throw new Problem('run-finished', { extras: { run_id: runId } })
  }
}
