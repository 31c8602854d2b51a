export type * from '../generated/api.d.ts'
export { TASKS } from './tasks.ts'
