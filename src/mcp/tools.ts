/**
 * The tools of a request: the six standard tools, and one tool for each task that the URL names.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import type { Deps } from '../http/deps.ts'
import { getItems } from './items.ts'
import { cancelRun, getRun, runTask } from './runs.ts'
import { describeTask, findTasks, taskTools } from './tasks.ts'
import type { Tool } from './tool.ts'

const TOOLS: readonly Tool[] = [findTasks, describeTask, runTask, getRun, cancelRun, getItems]

/** @param patterns see {@link taskTools}; none when empty */
export async function toolsFor(deps: Deps, accountId: AccountId, patterns: string): Promise<readonly Tool[]> {
  if (patterns === '') return TOOLS
  const account = await deps.accounts.state(accountId)
  const tools = [...TOOLS, ...taskTools(deps.catalogue.tasks, account, patterns)]
  // Names are unique: a task whose name is taken is only run by run_task.
  return tools.filter(({ name }, i) => tools.findIndex((each) => each.name === name) === i)
}
