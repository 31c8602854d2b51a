/**
 * The tools of a request: six, and one for each task that its address asks for.
 *
 * @module
 */
import type { AccountId } from '../domain/ids.ts'
import type { Deps } from '../http/deps.ts'
import { getItems } from './items.ts'
import { runTools } from './runs.ts'
import { describeTask, findTasks, taskTools } from './tasks.ts'
import type { Tool } from './tool.ts'

/**
 * @param patterns see {@link taskTools}; none when empty
 * @param waitS how long calls wait for the end of the run that they start, in seconds
 */
export async function toolsFor(
  deps: Deps,
  accountId: AccountId,
  patterns: string,
  waitS: number,
): Promise<Tool[]> {
  const [runTask, getRun, cancelRun] = runTools(waitS) as [Tool, Tool, Tool]
  const tools = [findTasks, describeTask, runTask, getRun, cancelRun, getItems]
  if (patterns === '') return tools
  const account = await deps.ledger.state(accountId)
  const names = tools.map(({ name }) => name)
  return [...tools, ...taskTools(deps.catalogue.tasks, account, patterns, names, waitS)]
}
