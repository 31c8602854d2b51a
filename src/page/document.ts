/**
 * Shared parts of all pages for people: the surrounding document, and restrictive response headers.
 *
 * @module
 */
import { Html, html } from '../html.ts'

const ICON = new Html(
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='%238a4b00'/><path d='M16 11.5c-2.6-2.2-2.6-5.6 0-8 2.6 2.4 2.6 5.8 0 8zM16 19c-4.2 0-7-2.8-7-7 4.2 0 7 2.8 7 7zm0 0c0-4.2 2.8-7 7-7 0 4.2-2.8 7-7 7zm0 7c-4.2 0-7-2.8-7-7 4.2 0 7 2.8 7 7zm0 0c0-4.2 2.8-7 7-7 0 4.2-2.8 7-7 7z' fill='%23fff'/><path d='M16 19v9.5' stroke='%23fff' stroke-width='2' stroke-linecap='round'/></svg>",
)

/** Marks that turn the direction of the text after them: a title has no elements that could contain them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

/** The path of the service's public URL, without a trailing slash: the prefix of all paths that a browser sees. */
export const basePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/**
 * A complete document.
 *
 * @param head its links to styles and scripts
 * @param body including the `body` tag
 * @param icon address of the icon of its tab; by default the mark of the product
 */
export const documentOf = (title: string, head: Html, body: Html, icon: string | Html = ICON): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-visual">
<title>${title.replaceAll(TURNING, '')}</title>
<link rel="icon" href="${icon}">
${head}
</head>
${body}
</html>
`.text

/**
 * Headers of a response for one person. It is not cached, not framed, and loads nothing from other sites.
 *
 * @param policy directives of its content security policy for images, forms and the like
 */
export const strictHeaders = (policy: string, referrer: 'no-referrer' | 'same-origin') =>
  ({
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; ${policy}`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': referrer,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  }) as const
