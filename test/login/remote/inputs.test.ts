/** Inputs between processes keep their order, whatever happens on their way. */
import { expect, test } from 'bun:test'
import { SignInError } from '../../../src/browser/signin/errors.ts'
import { Inputs } from '../../../src/login/remote/relay/inputs.ts'

/** Why each was not taken; null: it was. */
const codes = async (sent: readonly Promise<void>[]) =>
  (await Promise.allSettled(sent)).map((each) =>
    each.status === 'rejected' ? (each.reason as SignInError).code : null,
  )

test('one message is on its way at a time, with all that came meanwhile', async () => {
  const messages: (readonly unknown[])[] = []
  let underWay = 0
  const inputs = new Inputs(async (some) => {
    expect(++underWay).toBe(1)
    messages.push(some)
    await new Promise((go) => setTimeout(go, 1))
    underWay--
    return some.map(() => null)
  })
  const all = Array.from({ length: 1000 }, (_, i) => i)
  await Promise.all(all.map((each) => inputs.send(each)))
  expect(messages.flat()).toEqual(all)
  expect(messages.length).toBeLessThan(10)
  await inputs.send('later')
  expect(messages.at(-1)).toEqual(['later'])
})

test('large ones go in messages of their own', async () => {
  const messages: number[] = []
  const inputs = new Inputs(async (some) => {
    messages.push(some.length)
    return some.map(() => null)
  })
  const large = 'x'.repeat(100_000)
  expect(await codes([1, 2, 3, 4, 5].map(() => inputs.send(large)))).toEqual([null, null, null, null, null])
  expect(messages).toEqual([2, 2, 1])
})

test('what is too large, or too much at once, is refused at once, and the rest goes on', async () => {
  const inputs = new Inputs(async (some) => some.map(() => null))
  expect(await codes([inputs.send('x'.repeat(200_000)), inputs.send('x'), inputs.send(undefined)])).toEqual([
    'bad-input',
    null,
    null,
  ])
  const many = await codes(Array.from({ length: 2100 }, () => inputs.send('x')))
  expect(many.filter((code) => code === 'flooded')).toHaveLength(100)
  expect(many.filter((code) => code === null)).toHaveLength(2000)
  expect(await codes([inputs.send('x')])).toEqual([null])
})

test('large ones that wait are refused before they fill the memory, and room is made by each that goes', async () => {
  const inputs = new Inputs(async (some) => some.map(() => null))
  const large = 'x'.repeat(100_000)
  const many = await codes(Array.from({ length: 100 }, () => inputs.send(large)))
  expect(many.filter((code) => code === null)).toHaveLength(41)
  expect(many.filter((code) => code === 'flooded')).toHaveLength(59)
  expect(await codes(Array.from({ length: 41 }, () => inputs.send(large)))).toEqual(Array(41).fill(null))
})

test('when a message gets lost, all that waits behind it is not sent either; what comes later is', async () => {
  const passed: unknown[] = []
  let fails = true
  const inputs = new Inputs(async (some) => {
    await Promise.resolve()
    if (fails) throw new SignInError('browser-ended')
    passed.push(...some)
    return some.map(() => null)
  })
  const all = await codes(Array.from({ length: 500 }, (_, i) => inputs.send(i)))
  expect(new Set(all)).toEqual(new Set(['browser-ended']))
  fails = false
  await inputs.send('later')
  expect(passed).toEqual(['later'])
})
