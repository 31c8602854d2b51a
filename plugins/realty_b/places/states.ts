/**
 * The states of the United States.
 *
 * @module
 */

/** A state, with its two letters. */
export type State = { readonly code: string; readonly name: string }

const STATES: readonly State[] = (
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
  'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
  'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,' +
  'MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,' +
  'NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,' +
  'SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,' +
  'WV West Virginia,WI Wisconsin,WY Wyoming'
)
  .split(',')
  .map((line) => ({ code: line.slice(0, 2), name: line.slice(3) }))

/** The state with a name or two letters; undefined for any other text. */
export function stateOf(text: string): State | undefined {
  const lower = text.trim().toLowerCase()
  return STATES.find(({ code, name }) => code.toLowerCase() === lower || name.toLowerCase() === lower)
}
