/**
 * Looks for the first schedule that detects a planted bug.
 *
 * @module
 */
import { CHUNK, output } from '../processes.ts'
import type { Mutant } from './list.ts'
import { plant } from './tree.ts'

export type Detection = {
  /** number of schedules until the bug was detected; null: it was not */
  readonly after: number | null
  /** the violation that it caused */
  readonly complaint: string
}

/** @param from the first seed @param budget the maximum number of schedules */
export async function hunt(mutant: Mutant | undefined, from: number, budget: number): Promise<Detection> {
  const tree = plant(mutant)
  try {
    for (let tried = 0; tried < budget; tried += CHUNK) {
      const count = Math.min(CHUNK, budget - tried)
      const args = ['--first', '--from', String(from + tried), '--seeds', String(count)]
      const text = await output([process.execPath], args, tree.folder)
      const detection = JSON.parse(text.trim().split('\n').at(-1) ?? '') as Detection
      if (detection.after !== null) return { ...detection, after: tried + detection.after }
    }
    return { after: null, complaint: '' }
  } finally {
    tree.remove()
  }
}
