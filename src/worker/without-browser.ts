/**
 * The tasks and sign-ins that are unavailable without Chromium.
 *
 * @module
 */
import { chromiumWhenInstalled, HOW_TO_INSTALL, installerOf, isProgram } from '../browser/chromium/find.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { Logger } from '../logger.ts'

/** The tasks that need a browser, and the sources whose sign-in needs one, each by name. */
export function needsBrowser(tasks: readonly CatalogueTask[]): { tasks: string[]; signIns: string[] } {
  const signIns = tasks.filter(({ source }) => source.login !== undefined).map(({ source }) => source.name)
  return {
    tasks: tasks.filter(({ declaration: task }) => task.needs?.browser).map(({ key }) => key),
    signIns: [...new Set(signIns)],
  }
}

/** Logs a warning, once, if Chromium is missing and is not being installed. */
export async function warnWithoutBrowser(
  tasks: readonly CatalogueTask[],
  chromiumPath: string | null,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const program = await chromiumWhenInstalled(chromiumPath, installerOf(), signal)
  const needs = needsBrowser(tasks)
  const isThere = program !== undefined && isProgram(program)
  if (isThere || signal.aborted || needs.tasks.length + needs.signIns.length === 0) return
  const what =
    chromiumPath === null ? 'Chromium is missing' : `CHROMIUM_PATH ${chromiumPath} is not a program`
  logger.warn(
    { tasks: needs.tasks, sign_ins: needs.signIns },
    `${what}: runs of ${needs.tasks.length} tasks and sign-ins at ${needs.signIns.length} sources fail until you ${HOW_TO_INSTALL}`,
  )
}
