/**
 * States of tasks as the status page says them.
 *
 * @module
 */
import { counted } from '../components/parts.ts'
import type { Status, StatusDay } from './board.ts'
import { DAY_STATES, type DayState } from './day-state.ts'

/** The sentence at the top of the page. */
export function headline({ isKnown, sources }: Status): string {
  if (!isKnown) return 'The state of the tasks cannot be read now. Try again in a minute.'
  const tasks = sources.flatMap((source) => source.tasks)
  const unknown = tasks.filter(({ health }) => health === 'unknown').length
  if (unknown === tasks.length) return 'No task had a run in the last day to judge by.'
  const worrying = tasks.filter(({ health }) => health !== 'healthy' && health !== 'unknown').length
  const without = unknown > 0 ? ` ${counted(unknown, 'task')} had no run in the last day.` : ''
  if (worrying > 0)
    return `${counted(worrying, 'task')} of ${tasks.length} ${worrying === 1 ? 'has' : 'have'} problems.${without}`
  return `${unknown > 0 ? 'All tasks that ran in the last day work' : 'All tasks work'}.${without}`
}

/** The days of a task in a sentence, for those who do not see the bars. */
export function daysInWords(days: readonly StatusDay[]): string {
  const parts = (Object.keys(DAY_STATES) as DayState[]).flatMap((state) => {
    const number = days.filter((day) => day.state === state).length
    return number > 0 ? `${DAY_STATES[state]} on ${counted(number, 'day')}` : []
  })
  return `The last ${counted(days.length, 'day')}: ${parts.join(', ')}`
}
