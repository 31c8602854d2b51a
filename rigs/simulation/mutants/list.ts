/**
 * Planted bugs, each a change of one place. The simulation must find all of them.
 *
 * @module
 */

export type Mutant = {
  /** the bug, as a sentence */
  readonly name: string
  readonly file: string
  /** text that occurs exactly once in the file */
  readonly from: string
  readonly to: string
}

const money: readonly Mutant[] = [
  {
    name: 'a charge without its run is refunded before the run is closed',
    file: 'src/runs/reconcile.ts',
    from: 'const { state, events } = await commands.handle(runId, command, { causationId: CAUSE, now })\n',
    to: `if (row.kind === 'admission')
      await commands.refund({ status: 'closed' }, { runId, accountId }, { causationId: CAUSE })
    const { state, events } = await commands.handle(runId, command, { causationId: CAUSE, now })\n`,
  },
  {
    name: 'a charge is repeated after an outcome that is unknown',
    file: 'src/domain/account.ts',
    from: 'if (paid && (block === undefined || block <= paid.blocks)) return []',
    to: 'if (paid && block !== undefined && block <= paid.blocks) return []',
  },
  {
    name: 'a block is paid for again by the next attempt',
    file: 'src/domain/account.ts',
    from: 'if (paid && (block === undefined || block <= paid.blocks)) return []',
    to: 'if (paid && block === undefined) return []',
  },
  {
    name: 'a refund is not subtracted from the next one',
    file: 'src/domain/account.ts',
    from: 'const amount = paid.charged - paid.refunded - keep',
    to: 'const amount = paid.charged - keep',
  },
  {
    name: 'a lost run keeps the charges of its blocks',
    file: 'src/runs/commands.ts',
    from: 'if (!MAY_END.has(command.type) || !isAdmitted(state)',
    to: 'if (MAY_END.has(command.type) || !isAdmitted(state)',
  },
  {
    name: 'an end is never refunded if its worker died before the refund',
    file: 'src/runs/reconcile.ts',
    from: "else if (kind === 'admission' || row.due <= now - REFUND_MS) await this.refund(row, now)",
    to: "else if (kind === 'admission') await this.refund(row, now)",
  },
  {
    name: 'a charge without its run is never closed',
    file: 'src/runs/reconcile.ts',
    from: "else if (kind === 'admission' || row.due <= now - REFUND_MS) await this.refund(row, now)",
    to: "else if (kind !== 'admission' && row.due <= now - REFUND_MS) await this.refund(row, now)",
  },
  {
    name: 'one credit too many can be spent',
    file: 'src/domain/account.ts',
    from: 'balance < required ?',
    to: 'balance + 3 < required ?',
  },
  {
    name: 'a low balance is announced again by each charge',
    file: 'src/domain/account.ts',
    from: 'before < level || balance >= level',
    to: 'balance >= level',
  },
  {
    name: 'a charge by a lost worker after the count is not refunded',
    file: 'projections/deadlines.ts',
    from: 'event.data.refunded > 0 || charged > kept ?',
    to: 'event.data.refunded > 0 ?',
  },
]

const runs: readonly Mutant[] = [
  {
    name: 'a lost race is appended without a new decision',
    file: 'src/log/execute.ts',
    from: 'const decided = decider.decide(command, loaded.state)\n',
    to: 'const decided = (options as { once?: readonly DomainEvent[] }).once ?? decider.decide(command, loaded.state)\n    options = { ...options, once: decided } as never\n',
  },
  {
    name: 'a kickoff is answered before its run is durable',
    file: 'src/runs/admit.ts',
    from: 'await append(log, runStream(runId), -1, requested, { after: [stored.done, entry.written] })\n',
    to: 'append(log, runStream(runId), -1, requested, { after: [stored.done, entry.written] }).catch(() => {})\n',
  },
  {
    name: 'a run is requested although its charge was not written',
    file: 'src/runs/admit.ts',
    from: 'after: [stored.done, entry.written] }',
    to: 'after: [stored.done] }',
  },
  {
    name: 'the id of a repeated kickoff ignores closed attempts',
    file: 'src/runs/admit.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    from: '`${accountId}\\n${closed}\\n${idempotencyKey}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    to: '`${accountId}\\n${idempotencyKey}`',
  },
  {
    name: 'an Idempotency-Key is shared by all accounts',
    file: 'src/runs/admit.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    from: '`${accountId}\\n${closed}\\n${idempotencyKey}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    to: "`${closed}\\n${idempotencyKey.slice(idempotencyKey.indexOf('-'))}`",
  },
  {
    name: 'a lease is never renewed',
    file: 'src/worker/lease.ts',
    from: 'if ((isSetBack || now >= this.renewAt) && !this.isRenewing) void this.renew(now)',
    to: 'if (now < 0) void this.renew(now)',
  },
  {
    name: 'a run that lost its worker is never requeued',
    file: 'src/domain/run.ts',
    from: "return state.attempt < MAX_ATTEMPTS ? [requeue(state, 'worker-lost')] : end(state, 'errored', 'worker-lost')",
    to: 'return []',
  },
  {
    name: 'a worker keeps writing after another worker took over its run',
    file: 'src/domain/run.ts',
    from: "if (!isLeased(state) || state.attempt !== command.attempt) return { refused: 'stale' }",
    to: "if (!isLeased(state)) return { refused: 'stale' }",
  },
  {
    name: 'the queue forgets a requeued run',
    file: 'src/worker/queue/open-runs.ts',
    from: 'queue.requeued(news, Date.parse(meta.at))',
    to: 'queue.ended(id)',
  },
  {
    name: 'a worker does not look for its next run when a run ends',
    file: 'src/worker/worker.ts',
    from: '      void this.claims.release(id, false)\n      this.pump()\n',
    to: '',
  },
  {
    name: 'a renewed lease is taken over',
    file: 'src/domain/run.ts',
    from: 'const lost = now >= Date.parse(state.leaseUntil)',
    to: 'const lost = true',
  },
  {
    name: 'an acknowledged cancellation is not written',
    file: 'src/domain/run.ts',
    from: "return state.status === 'queued' ? [request, ...end(state, 'cancelled', null)] : [request]",
    to: "return state.status === 'queued' ? [request, ...end(state, 'cancelled', null)] : []",
  },
  {
    name: 'another account’s run is shown',
    file: 'src/runs/runs.ts',
    from: 'isAdmitted(state) && state.accountId === account ?',
    to: 'isAdmitted(state) ?',
  },
  {
    name: 'each node tries an input of its own accord',
    file: 'src/health/canary/start.ts',
    from: 'idempotencyKey: key,',
    to: 'idempotencyKey: undefined,',
  },
]

const processes: readonly Mutant[] = [
  {
    name: 'a bystander’s charge is repeated when it is executed again',
    file: 'src/worker/block-charges.ts',
    from: "const command = { type: 'charge', accountId, runId, taskKey, amount, block } as const\n",
    to: `const counted = this as { asked?: number }
    counted.asked = (counted.asked ?? 0) + 1
    const command = { type: 'charge', accountId, runId, taskKey, amount, block: counted.asked } as const\n`,
  },
  {
    name: 'a dropped run’s message counts for its successor',
    file: 'src/worker/process/plugin-process.ts',
    from: 'const run = this.hosted.get(message.run)\n',
    to: 'const run = this.hosted.get(message.run) ?? [...this.hosted.values()].at(-1)\n',
  },
  {
    name: 'the death of a shared process uses up an attempt of its bystanders',
    file: 'src/worker/executing.ts',
    from: '++lost < 3',
    to: 'false',
  },
  {
    name: 'a bystander ends with the fault of its neighbour',
    file: 'src/worker/executing.ts',
    from: "!end.alone && end.cause !== 'killed')",
    to: 'false)',
  },
  {
    name: 'a run is executed again among others after its process died',
    file: 'src/worker/executing.ts',
    from: "alone = 'again'\n",
    to: 'alone = undefined\n',
  },
  {
    name: 'a refused run changes its exit after a paid block',
    file: 'src/worker/run-exit.ts',
    from: ' && !(await charges.mayHaveBlocks())',
    to: '',
  },
  {
    name: 'the next attempt forgets how often its run has changed its exit',
    file: 'src/worker/run-exit.ts',
    from: 'parts.run.exitChanges ?? 0',
    to: '0',
  },
  {
    name: 'a run that is executed again keeps its items',
    file: 'src/worker/executing.ts',
    from: 'collected.clear()\n',
    to: '',
  },
]

const views: readonly Mutant[] = [
  {
    name: 'a read model continues after its checkpoint was lost',
    file: 'src/read/generations.ts',
    from: 'return this.readModels.commit(changes, before)\n',
    to: 'await this.readModels.commit(changes, before)\n    return true\n',
  },
  {
    name: 'the checkpoint of a read model is saved separately from its rows',
    file: 'src/read/generations.ts',
    from: 'return this.readModels.commit(changes, before)\n',
    to: `if (!(await this.readModels.commit(changes.map((one) => ({ ...one, rows: new Map() })), before))) return false
    return this.readModels.commit(changes.map((one) => ({ ...one, from: one.to })))\n`,
  },
  {
    name: 'lost rows of a read model go unnoticed',
    file: 'src/read/follower.ts',
    from: ' || !(await generations.areUnmoved())',
    to: '',
  },
  {
    name: 'an account’s feed contains another account’s events',
    file: 'src/feed/projected.ts',
    from: 'if (event.meta.account_id === account) events.push(event)',
    to: 'events.push(event)',
  },
  {
    name: 'a process that knows a key accepts it after it was revoked',
    file: 'src/keys/keys.ts',
    from: 'return tail.then((events) => this.verdict(known, events))',
    to: 'return tail.then(() => this.verdict(known, []))',
  },
]

const webhooks: readonly Mutant[] = [
  {
    name: 'the cursor of an endpoint is saved before its deliveries',
    file: 'src/webhooks/deliveries/subscription.ts',
    from: 'if (!(await deliveries.queue(webhookId, batch, cursor, this.savedCursor))) throw new CursorMoved()\n',
    to: `if (!(await deliveries.queue(webhookId, [], cursor, this.savedCursor))) throw new CursorMoved()
    await deliveries.put(batch)\n`,
  },
  {
    name: 'an endpoint continues although the delivery store was emptied',
    file: 'src/webhooks/deliveries/subscription.ts',
    from: 'if (!(await deliveries.queue(webhookId, batch, cursor, this.savedCursor))) throw new CursorMoved()\n',
    to: 'await deliveries.queue(webhookId, batch, cursor)\n',
  },
  {
    name: 'an idle endpoint continues although the delivery store was emptied',
    file: 'src/webhooks/deliveries/deliverer.ts',
    from: "if (leases.get(id) !== 'renewed') this.drop(id)",
    to: 'if (!leases.has(id)) this.drop(id)',
  },
  {
    name: 'the checkpoint of an endpoint passes pending deliveries',
    file: 'src/webhooks/deliveries/subscription.ts',
    from: 'return pending ? this.reachedBefore(pending, reached) : reached',
    to: 'return reached',
  },
  {
    name: 'a delivery counts as delivered whatever the endpoint answered',
    file: 'src/webhooks/deliveries/endpoint-deliverer.ts',
    from: 'const success = isSuccess(result.attempt)',
    to: "const success = true\n    Object.assign(next, { state: 'delivered', nextAt: null })",
  },
  {
    name: 'a new endpoint is noticed only at the next listing',
    file: 'src/webhooks/deliveries/deliverer.ts',
    from: "if (event.event?.type === 'WebhookCreated') {",
    to: 'if (event.event === null) {',
  },
  {
    name: 'due deliveries are not looked for',
    file: 'src/webhooks/deliveries/deliverer.ts',
    from: 'for (const id of await deliveries.dueWebhooks(now())) this.owned.get(id)?.endpoint.drain()\n',
    to: '',
  },
]

const people: readonly Mutant[] = [
  {
    name: 'ownership is checked before a form is decided, but not in the decision',
    file: 'src/domain/members.ts',
    from: "if ('by' in command && command.by !== undefined && roles[command.by] !== 'owner')\n    return { refused: 'not-owner' }\n",
    to: '',
  },
  {
    name: 'the data key of an erased person stays',
    file: 'src/vault/vault.ts',
    from: 'const keys = await this.keys.destroy(owner)\n',
    to: 'const keys = 0\n',
  },
  {
    name: 'data of a person who never joined is not swept',
    file: 'src/people/people.ts',
    from: 'await inBatches(await this.options.vault.people(now - SWEPT_MS),',
    to: 'await inBatches([] as PersonId[],',
  },
  {
    name: 'the last owner can leave',
    file: 'src/domain/members.ts',
    from: 'if (!isClosed && isLastOwner(members, person_id))\n',
    to: 'if (isClosed && isLastOwner(members, person_id))\n',
  },
  {
    name: 'an address in use can be claimed by another person',
    file: 'src/people/people.ts',
    from: 'if (!(await this.isGone(holder)) || !(await this.eraseUnjoined(by, cause)))\n',
    to: 'if (cause.now < 0)\n',
  },
]

/** All planted bugs. */
export const MUTANTS: readonly Mutant[] = [...money, ...runs, ...processes, ...views, ...webhooks, ...people]
