/** What one person selects or cuts is there for no other, though one browser has the pages of both. */
import { describe, expect, test } from 'bun:test'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { stack } from './signin-person.ts'
import { PAGE, startSignIns } from './signin-web.ts'

const { on } = startSignIns()
const SECRET = 'canary-1f7a'
/** The title says what is in the fields, and whether a script could paste. */
const FIELDS = `${stack('<input id=a>', '<input id=b>', '<button id=c>paste</button>')}<title></title><script>
  const tell = (more) => { document.title = [a.value, b.value, more].join('|') }
  oninput = () => tell('')
  c.onclick = () => {
    b.focus()
    tell(document.execCommand('paste'))
  }</script>`

describe.skipIf(!hasBrowser)('a person', () => {
  test('finds nothing of what another one has selected or cut', async () => {
    const one = await on({ [PAGE]: FIELDS })
    one.person.click(50, 25)
    one.person.type(SECRET)
    one.person.key('a', 2, 'KeyA')
    one.person.key('x', 2, 'KeyX')
    await one.told.title('||')
    one.person.type(SECRET)
    await one.told.title(`${SECRET}||`)
    one.person.click(50, 25, 3)

    const two = await on({ [PAGE]: FIELDS })
    const middle = {
      type: 'pointer',
      pointerType: 'mouse',
      pointerId: 1,
      modifiers: 0,
      x: 50,
      y: 75,
      clicks: 1,
    }
    two.person.click(50, 75)
    two.signIn.send({ ...middle, action: 'down', button: 1, buttons: 4 })
    two.signIn.send({ ...middle, action: 'up', button: 1, buttons: 0 })
    expect(() => two.person.key('v', 2, 'KeyV')).toThrow('not understood: key')
    expect(() => two.person.key('Insert', 8, 'Insert')).toThrow('not understood: key')
    two.person.click(50, 125)
    await two.told.title('||false')
  })
})
