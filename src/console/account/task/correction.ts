/**
 * The API's words about a field, as people who fill in a form read them.
 *
 * @module
 */
import type { Issue } from '../../../plugin.ts'
import { sentence } from '../../components/forms.ts'
import { fieldLabel, type InputSchema } from './shape.ts'

/** What to change in a field: `Enter an amount, such as 7 or 7.50.` */
export function correction({ code, detail }: Issue, schema: InputSchema): string {
  if (code === 'missing-field' && detail === 'is required') return 'Fill in this field.'
  const text = detail
    .replace(/^must be one of /, 'choose one of ')
    .replace(/^must be (?=(?:an?|the|text|texts) )/, 'enter ')
    // In a form, everything is a text without quotes.
    .replace(' as a string', '')
    .replaceAll(/"([^"\s]*)"/g, '$1')
  return sentence(inLabels(text, schema))
}

/** Text in which fields have the names of the form. Names that are words too, such as `url`, stay as they are. */
export const inLabels = (text: string, { properties = {} }: InputSchema): string =>
  text.replaceAll(/`([A-Za-z_]+)`|\b([a-z]+(?:_[a-z]+)+|[a-z]+[A-Z][A-Za-z]*)\b/g, (whole, code, bare) => {
    const name: string = code ?? bare
    return Object.hasOwn(properties, name) ? `“${fieldLabel(name, properties[name]!)}”` : whole
  })
