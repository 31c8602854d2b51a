/** The hosted page stays below the call limit of a visit, whatever the person does. */
import { expect, test } from 'bun:test'
import { CALLS_PER_MINUTE } from '../../src/http/routes/hosted-rate-limits.ts'

test('continuous mouse moves stay below the call limit of a visit, and the last move is sent', async () => {
  const element = () => ({ textContent: '', dataset: { ms: '900000' }, hidden: false })
  const elements = new Map<string, ReturnType<typeof element>>()
  const inputs: { x: number }[] = []
  let calls = 0
  const parts = {
    location: { pathname: '/login/token' },
    visualViewport: undefined,
    // Disables the countdown of the page, which would keep running.
    setInterval: () => 0,
    document: {
      title: '',
      getElementById: (id: string) => elements.get(id) ?? elements.set(id, element()).get(id),
      querySelectorAll: () => [],
    },
    fetch: async (_: string, { body }: { body: string }) => {
      calls++
      inputs.push(...JSON.parse(body).inputs)
      return new Response('{}')
    },
  }
  const before = Object.fromEntries(
    Object.keys(parts).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
  )
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  try {
    const script: string = '../../src/signin/page/assets/inputs.js'
    const { send } = (await import(script)) as { send(input: object): void }
    const from = performance.now()
    for (let x = 1; x <= 500; x++) {
      send({ type: 'pointer', action: 'move', pointerId: 1, buttons: 0, modifiers: 0, x })
      await new Promise((go) => setTimeout(go, 1))
    }
    while (inputs.at(-1)?.x !== 500) await new Promise((go) => setTimeout(go, 1))
    const seconds = (performance.now() - from) / 1000
    expect(calls).toBeGreaterThan(2)
    expect(calls).toBeLessThanOrEqual(1 + (seconds * CALLS_PER_MINUTE) / 60)
  } finally {
    for (const [name, descriptor] of Object.entries(before)) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
})
