/**
 * The status as JSON.
 *
 * @module
 */
import type { SourceStatus, Status, TaskStatus } from './board.ts'
import { headline } from './words.ts'

/** The body of `GET /status?format=json`. */
export const statusJson = (status: Status): object => ({
  status: status.health,
  summary: headline(status),
  sources: status.sources.map(sourceJson),
})

const sourceJson = ({ source, health, tasks }: SourceStatus): object => ({
  source: source.name,
  title: source.title,
  health,
  tasks: tasks.map(taskJson),
})

const taskJson = ({ task, health, since, drift, days }: TaskStatus): object => ({
  task_key: task.key,
  title: task.declaration.title,
  health,
  health_since: since,
  drift,
  days,
})
