/** Writes text into HTML, XML and SVG documents. */

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" }

/** Escapes characters with a meaning in XML, drops the control characters that XML 1.0 cannot contain (section 2.2). */
export const xmlText = (text: string): string =>
  text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "").replace(
    /[&<>"']/g,
    (sign) => entities[sign] ?? sign
  )
