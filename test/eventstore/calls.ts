/**
 * The methods of one node.
 *
 * @module
 */
import * as answers from './answers.ts'
import { type Faults, refused } from './faults.ts'
import { asCallError, type Call, CallError, type Handler, STATUS } from './grpc.ts'
import type { Log, Outcome } from './log.ts'
import { features, gossip, type Member, type Membership } from './membership.ts'
import { answerRead, streamDeleted } from './reading.ts'
import { type DeleteRequest, readAppend, readDelete, readRead } from './requests.ts'
import { answerSubscription, type SubscriptionManners } from './subscriptions.ts'

export type Node = {
  readonly log: Log
  readonly faults: Faults
  readonly membership: Membership
  readonly self: Member
  readonly manners: SubscriptionManners
  /** What it says its version is. */
  readonly version: string
  /** The subscriptions that run. */
  readonly subscriptions: Set<Call>
}

type Method = (call: Call, messages: readonly Buffer[]) => Promise<void>

const STREAMS = '/event_store.client.streams.Streams'

/** Answers every call to a node. Appends go by the unary method alone: clients learn that there is no other. */
export function handlerOf(node: Node): Handler {
  const methods: Record<string, Method> = {
    [`${STREAMS}/Read`]: (call, [message]) => read(node, call, message),
    [`${STREAMS}/Append`]: (call, messages) => append(node, call, messages),
    [`${STREAMS}/Delete`]: (call, [message]) => remove(node, call, message, 'softDelete'),
    [`${STREAMS}/Tombstone`]: (call, [message]) => remove(node, call, message, 'tombstone'),
    '/event_store.client.gossip.Gossip/Read': (call) => answer(node, call, gossip(node.membership)),
    '/event_store.client.server_features.ServerFeatures/GetSupportedMethods': (call) =>
      answer(node, call, features(node.version, Object.keys(methods))),
  }
  return (call, messages) => {
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
}

async function answer(node: Node, call: Call, frames: Buffer): Promise<void> {
  await node.faults.late()
  call.send(frames)
  call.end()
}

/** @throws {CallError} when this node may not do what only a leader does */
function mustLead({ self, membership: { leader } }: Node): void {
  if (leader !== self) throw refused(leader ? { leader } : 'no-leader')
}

async function read(node: Node, call: Call, message: Buffer | undefined): Promise<void> {
  if (node.faults.refuseReads) throw refused(node.faults.refuseReads)
  if (call.requiresLeader) mustLead(node)
  const request = readRead(message)
  await node.faults.late()
  if (request.count !== null) return await answerRead(call, request, node.log)
  node.subscriptions.add(call)
  call.onClosed(() => node.subscriptions.delete(call))
  await answerSubscription(call, request, node.log, node.faults, node.manners)
}

async function append(node: Node, call: Call, messages: readonly Buffer[]): Promise<void> {
  if (node.faults.refuseAppends) throw refused(node.faults.refuseAppends)
  mustLead(node)
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
  if (node.faults.refuseAppends) throw refused(node.faults.refuseAppends)
  mustLead(node)
  const request = readDelete(message)
  const outcome = node.log[how](request.stream, request.expected)
  await flushed(node.log)
  if (outcome.kind === 'deleted') throw streamDeleted(request.stream)
  if (outcome.kind !== 'written') throw wrongExpectedVersion(request, actualOf(outcome))
  await answer(node, call, answers.deleted(outcome.position))
}

const flushed = (log: Log) => new Promise<void>((resolve) => log.flushed(resolve))
const actualOf = (outcome: Outcome) => (outcome.kind === 'wrong-expected-version' ? outcome.actual : null)

/** A delete says it by its end, an append by an answer of its own. */
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
