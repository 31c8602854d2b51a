/**
 * The status as JSON.
 *
 * @module
 */
import type { SourceStatus, Status, TaskStatus } from './board.ts'

/** The body of `GET /status?format=json`. */
export const statusJson = ({ health, sources }: Status): object => ({
  status: health,
  sources: sources.map(sourceJson),
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
