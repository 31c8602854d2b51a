/**
 * The writes after which a process may die or freeze: every step of the tables in the docs of what holds after a crash.
 *
 * @module
 */
import { EVENT_NAMES } from '../../src/domain/events.ts'

/** Writes of no schedule, because they need a browser, a file or answers of a run, a provider, or an operator in the console. */
export const ELSEWHERE = [
  'ArtifactStored',
  'CaptureStored',
  'LoginRequested',
  'LoginCompleted',
  'LoginRejected',
  'LoginDeleted',
  'IdentityLinked',
  'IdentityUnlinked',
  'OperatorGranted',
  'OperatorRevoked',
  'SessionsRevoked',
] as const

/** Writes beside the log, by store and method. */
export const STORE_WRITES = [
  'artifacts.put input',
  'artifacts.put result',
  'slots.acquire',
  'slots.release',
  'read-models.begin',
  'read-models.commit',
  'read-models.publish',
  'deliveries.lease',
  'deliveries.queue',
  'deliveries.put',
  'deliveries.noted',
  'deliveries.forget',
  'tickets.put',
  'tickets.take',
  'vault.put',
  'vault.delete',
] as const

/** All writes: events by their type, and writes beside the log. */
export const POINTS: readonly string[] = [
  ...EVENT_NAMES.filter((type) => !(ELSEWHERE as readonly string[]).includes(type)),
  ...STORE_WRITES,
]

/** Writes that come after all others: a process may die after them even after healing. */
export const LATE_POINTS: readonly string[] = ['RunNotAdmitted', 'RunExpired', 'PersonErased']
