/**
 * Recognizes credentials by their name or their format.
 *
 * @module
 */

/** Names of headers, query parameters and fields, in lower case and without `-`, `_` and `.`. */
const NAMES: readonly RegExp[] = [
  /^(?:php|j|asp)?sess(?:ion)?(?:id|key|token)?$|^s?sid$|session(?:id|token)$/,
  /csrf|xsrf|^authenticitytoken$|^requestverificationtoken$/,
  /^(?:access|refresh|id|auth|oauth|bearer|security|user|guest|bot|login|device)token$/,
  /^(?:x|innertube|app|client|consumer)?(?:api|secret|consumer)key$|^(?:client|app|consumer|token)?secret$/,
  /^(?:proxy)?authorization$|^(?:set)?cookies?$|^credentials?$|^pass(?:word|wd|phrase)?$/,
  // Identifiers of visitors at the sites of this project's sources.
  /^mstoken$|^verifyfp$|^visitordata$|^fbdtsg$|^ttwid$|^xbogus$|^xgnarly$|^ct0$/,
]

/** Whether the value of this name is a credential. */
export function isCredentialName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_.]/g, '')
  return NAMES.some((form) => form.test(plain))
}

/** Names and formats of credentials that are recognized within text, with a text that each has. */
export const FORMS: readonly (readonly [what: string, form: RegExp, mark: string])[] = [
  ['JSON Web Token', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, 'eyJ'],
  [
    'API key',
    /\bAIza[\w-]{35}(?![\w-])|\bAKIA[0-9A-Z]{16}\b|\b[sr]k_live_\w{10,}|\bgh[opusr]_\w{36}\b|\bgln_\w{32,}/g,
    '',
  ],
  ['bearer token', /(?<=\bBearer )[\w.~+/-]{16,}=*/g, 'Bearer '],
  ['password in an address', /(?<=\bhttps?:\/\/)[^\s/@:"'<>]+:[^\s/@"'<>]+(?=@)/g, '://'],
  [
    'e-mail address',
    // File names such as logo@2x.png are not addresses.
    /\b(?!REDACTED@)[\w.+-]+@(?:[a-z0-9-]+\.)+(?!(?:png|jpe?g|gif|webp|avif|svg|m?js|css)\b)[a-z]{2,24}\b/gi,
    '@',
  ],
]

/** Whether a value is too distinctive to occur elsewhere by chance, so that every occurrence is a credential. */
export const isUnmistakable = (value: string): boolean =>
  value.length >= 16 && /^[\w%+/=.:|~-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value)
