/**
 * The methods of one node.
 *
 * @module
 */
import * as answers from './answers.ts'
import { takeAppends } from './batches.ts'
import { type Refusal, refused } from './faults.ts'
import { asCallError, type Call, CallError, type Handler, STATUS } from './grpc.ts'
import { actualOf, flushed } from './log.ts'
import { features, gossip } from './membership.ts'
import { leaderRefusal, type Node, refusalOf } from './node.ts'
import { answerRead, streamDeleted } from './reading.ts'
import { type DeleteRequest, readAppend, readDelete, readRead } from './requests.ts'
import { answerSubscription } from './subscriptions.ts'

type Method = (call: Call, messages: readonly Buffer[]) => Promise<void>

const STREAMS = '/event_store.client.streams.Streams'
const BATCH_APPEND = `${STREAMS}/BatchAppend`

/** Answers every call to a node. */
export function handlerOf(node: Node): Handler {
  const methods: Record<string, Method> = {
    [`${STREAMS}/Read`]: (call, [message]) => read(node, call, message),
    [`${STREAMS}/Append`]: (call, messages) => append(node, call, messages),
    [`${STREAMS}/Delete`]: (call, [message]) => remove(node, call, message, 'softDelete'),
    [`${STREAMS}/Tombstone`]: (call, [message]) => remove(node, call, message, 'tombstone'),
    '/event_store.client.gossip.Gossip/Read': (call) => answer(node, call, gossip(node.membership)),
    '/event_store.client.server_features.ServerFeatures/GetSupportedMethods': (call) =>
      answer(node, call, features(node.version, [...Object.keys(methods), BATCH_APPEND])),
  }
  const handle = (call: Call, messages: readonly Buffer[]) => {
    const method = methods[call.method]
    if (!method) throw new CallError(STATUS.unimplemented, 'Service is unimplemented.')
    node.faults
      .thawed()
      .then(() => method(call, messages))
      .catch(async (error: unknown) => {
        await node.faults.late()
        call.end(asCallError(error))
      })
  }
  return {
    answer: handle,
    intake: (call) => (call.method === BATCH_APPEND ? takeAppends(node, call) : undefined),
  }
}

async function answer(node: Node, call: Call, frames: Buffer): Promise<void> {
  await node.faults.late()
  call.send(frames)
  call.end()
}

async function read(node: Node, call: Call, message: Buffer | undefined): Promise<void> {
  unless(node.faults.refuseReads)
  if (call.requiresLeader) unless(leaderRefusal(node))
  const request = readRead(message)
  await node.faults.late()
  if (request.count !== null) return await answerRead(call, request, node.log)
  node.subscriptions.add(call)
  call.onClosed(() => node.subscriptions.delete(call))
  await answerSubscription(call, request, node.log, node.faults, node.manners)
}

/** @throws {CallError} if a refusal is given */
function unless(refusal: Refusal | null): void {
  if (refusal) throw refused(refusal)
}

async function append(node: Node, call: Call, messages: readonly Buffer[]): Promise<void> {
  unless(refusalOf(node))
  const { stream, expected, events } = readAppend(messages)
  const outcome = node.log.append(stream, expected, events)
  await flushed(node.log)
  switch (outcome.kind === 'written' ? node.faults.loses() : undefined) {
    case 'silence':
      return
    case 'reset':
      return call.reset()
    case 'timeout':
      throw refused('timeout')
  }
  if (outcome.kind === 'deleted') throw streamDeleted(stream)
  const wrong = () => answers.wrongExpectedVersion(expected, actualOf(outcome))
  await answer(
    node,
    call,
    outcome.kind === 'written' ? answers.appended(outcome.revision, outcome.position) : wrong(),
  )
}

async function remove(
  node: Node,
  call: Call,
  message: Buffer | undefined,
  how: 'softDelete' | 'tombstone',
): Promise<void> {
  unless(refusalOf(node))
  const request = readDelete(message)
  const outcome = node.log[how](request.stream, request.expected)
  await flushed(node.log)
  if (outcome.kind === 'deleted') throw streamDeleted(request.stream)
  if (outcome.kind !== 'written') throw wrongExpectedVersion(request, actualOf(outcome))
  await answer(node, call, answers.deleted(outcome.position))
}

/** A delete reports this with the end of the call, an append with an answer message. */
function wrongExpectedVersion({ stream, expected }: DeleteRequest, actual: number | null): CallError {
  const number = { any: -2, 'no-stream': -1, 'stream-exists': -4 }
  const version = typeof expected === 'number' ? expected : number[expected]
  return new CallError(
    STATUS.failedPrecondition,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${version}, Actual version: ${actual ?? -1}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': encodeURIComponent(stream),
      'expected-version': String(version),
      'actual-version': String(actual ?? -1),
    },
  )
}
