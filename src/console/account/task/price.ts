/**
 * The price of an input.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { priceText } from '../../../catalogue/price-text.ts'
import type { Issue } from '../../../plugin.ts'
import { counted } from '../../components/parts.ts'

/** `text`: `3 credits`; `from 40 credits` while the input is not valid. `issues`: why it is not. */
export type Priced = { readonly text: string; readonly issues: readonly Issue[] }

/** @param now milliseconds since 1970 */
export function priced(task: CatalogueTask, input: Readonly<Record<string, unknown>>, now: number): Priced {
  const valid = task.validate(input, {}, now)
  if (!('canonical' in valid)) return { text: priceText(task), issues: valid }
  try {
    return { text: counted(task.price(valid.input), 'credit'), issues: [] }
  } catch {
    // A defect of the plugin, which a run of this input reports.
    return { text: priceText(task), issues: [] }
  }
}

/** Whether the price of a task depends on its input. */
export const depends = ({ declaration }: CatalogueTask): boolean => typeof declaration.price !== 'number'
