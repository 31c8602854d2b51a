/**
 * The form of an endpoint.
 *
 * @module
 */
import type { EventType } from '../../../domain/events.ts'
import { copyable, type Html, html } from '../../../html.ts'
import { PROBLEMS } from '../../../http/problems.ts'
import { Refused } from '../../../log/refused.ts'
import { DEFAULT_TYPES } from '../../../webhooks/endpoints/record.ts'
import { type Errors, field } from '../../components/forms.ts'
import { resultCard } from '../../components/parts.ts'
import type { Form } from '../../form.ts'
import { chosenTypes, eventChoices } from './event-choices.ts'

const MOST_DESCRIPTION = 500

/** The values of an endpoint's form. */
export type Values = {
  readonly url?: string
  readonly description?: string
  readonly types?: readonly string[]
}

/** The fields of an endpoint. */
export const webhookFields = ({ url, description, types = DEFAULT_TYPES }: Values, errors: Errors): Html =>
  html`${field({
    name: 'url',
    label: 'URL',
    value: url,
    error: errors.url,
    required: true,
    autocomplete: 'off',
    placeholder: 'https://example.org/hooks',
    hint: 'An https URL that is reachable from the internet.',
  })}${field({
    name: 'description',
    label: 'Description',
    value: description,
    error: errors.description,
    autocomplete: 'off',
    hint: 'Tells endpoints apart. It stays in the event log.',
  })}${eventChoices(types, errors.types)}`

/** The submitted values and their errors. */
export function webhookIn(sent: Form): {
  readonly values: {
    readonly url: string
    readonly description: string
    readonly types: readonly EventType[]
  }
  readonly errors: Errors
} {
  const values = {
    url: sent.text('url').trim(),
    description: sent.text('description').trim(),
    types: chosenTypes(sent.all('types')),
  }
  const errors: Record<string, string> = {}
  if (values.url === '') errors.url = 'Enter a URL.'
  if (values.types.length === 0) errors.types = 'Choose at least one type.'
  if ([...values.description].length > MOST_DESCRIPTION)
    errors.description = `Use at most ${MOST_DESCRIPTION} characters.`
  return { values, errors }
}

/** The errors of a refusal, by field. */
export function refusalIn(error: unknown): Errors {
  if (!(error instanceof Refused)) throw error
  const { refused, detail } = error.refusal
  return refused === 'invalid-url'
    ? { url: `The URL ${detail}.` }
    : { '': PROBLEMS['too-many-webhooks'].detail }
}

/** A new secret, which is shown once. */
export const secretShown = (title: string, secret: string): Html =>
  resultCard(
    title,
    html`<p>Verify deliveries with this secret. Copy it now: it is shown only once.</p>
${copyable(secret, 'The signing secret')}`,
  )
