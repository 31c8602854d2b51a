/**
 * The contract of event logs: the meaning of src/log/event-log.ts in detail. An adapter's test calls
 * {@link eventLogContract} with a function that opens the log. The log may hold other events, and other processes may
 * write to it: every test uses new streams, and only positions that the log returned.
 *
 * @module
 */

import { appendContract } from './event-log/append.ts'
import { appendOrderContract } from './event-log/append-order.ts'
import { readContract } from './event-log/read.ts'
import { repeatedAppendContract } from './event-log/repeated-append.ts'
import { subscriptionContract } from './event-log/subscribe.ts'
import type { Open } from './event-log/suite.ts'

/**
 * @param open opens the log; the test closes it
 * @param behind see {@link subscriptionContract}
 */
export function eventLogContract(name: string, open: Open, behind?: number): void {
  appendContract(name, open)
  repeatedAppendContract(name, open)
  appendOrderContract(name, open)
  readContract(name, open)
  subscriptionContract(name, open, behind)
}
