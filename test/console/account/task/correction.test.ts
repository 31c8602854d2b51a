/** Errors and hints of a form are in its words, not in those of JSON. */
import { expect, test } from 'bun:test'
import { correction, inLabels } from '../../../../src/console/account/task/correction.ts'

const schema = {
  properties: {
    depart_date: { title: 'Departure' },
    return_date: { title: 'Return' },
    cursor: { title: 'Continue from' },
    url: {},
    pageName: {},
  },
}

test.each([
  ['missing-field', 'is required', 'Fill in this field.'],
  ['missing-field', 'is required when return_date is sent', 'Is required when “Return” is sent.'],
  [
    'bad-format',
    'must be an amount as a string, such as "7" or "7.50"',
    'Enter an amount, such as 7 or 7.50.',
  ],
  ['out-of-range', 'must be a whole number from 1 to 500', 'Enter a whole number from 1 to 500.'],
  ['not-allowed', 'must be one of uk, fr', 'Choose one of uk, fr.'],
  ['out-of-range', 'must not be before depart_date', 'Must not be before “Departure”.'],
  ['bad-format', 'must not be blank', 'Must not be blank.'],
])('%s: %s', (code, detail, text) => expect(correction({ pointer: '/x', code, detail }, schema)).toBe(text))

test.each([
  ['With `depart_date` only.', 'With “Departure” only.'],
  ['`next_cursor` of a previous result.', '`next_cursor` of a previous result.'],
  // Names that are words too are fields only as code.
  ['The url, or `url`, or pageName.', 'The url, or “URL”, or “Page name”.'],
])('%s', (text, shown) => expect(inLabels(text, schema)).toBe(shown))
