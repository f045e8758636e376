/** An SVG badge with a status, for READMEs and other sites. */
import type { EffectiveStatus } from "../../schema/component/Component.ts"
import type { Language } from "../../schema/page/Page.ts"
import { namedIn } from "../domain/page/Languages.ts"
import { presetStyles } from "../domain/page/Presets.ts"
import { isolated } from "../domain/tools/text/Direction.ts"
import { cut } from "../domain/tools/text/TrimText.ts"
import { xmlText } from "../domain/tools/text/XmlText.ts"

/** Dark enough for white text (WCAG 2.2, 1.4.3: a contrast of at least 4.5). */
const colours: Record<EffectiveStatus, string> = {
  operational: "#15803d",
  degraded: "#a16207",
  partial_outage: "#c2410c",
  major_outage: "#b91c1c",
  maintenance: "#1d4ed8",
  unknown: "#4b5563"
}

/** About the width of a character at 11 px; scripts such as Japanese have wide ones. */
const widthOf = (text: string): number =>
  Math.ceil([...text].reduce((sum, sign) => sum + (/[\u1100-\uFFDC]/.test(sign) ? 11.5 : 6.7), 0)) + 14

const longest = 60

export const badge = (label: string, message: string, status: EffectiveStatus, language: Language): string => {
  const [left, right] = [cut(label, longest), cut(message, longest)]
  const [a, b] = [widthOf(left), widthOf(right)]
  const title = xmlText(namedIn(language, isolated(label), isolated(message)))
  const text = (x: number, content: string) => `<text x="${x}" y="14" unicode-bidi="plaintext">${xmlText(content)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${
    a + b
  }" height="20" role="img" aria-label="${title}"><title>${title}</title>` +
    `<clipPath id="r"><rect width="${a + b}" height="20" rx="4"/></clipPath><g clip-path="url(#r)">` +
    `<rect width="${a}" height="20" fill="${presetStyles.daylight.dark.surface}"/>` +
    `<rect x="${a}" width="${b}" height="20" fill="${colours[status]}"/></g>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
    `${text(a / 2, left)}${text(a + b / 2, right)}</g></svg>`
}
