/** An AI report as the text of an alert. */
import type { AiReport } from "../../../schema/incident/AiReport.ts"

const bulleted = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [[heading, ...lines.map((line) => `- ${line}`)].join("\n")]

/** A report as text: paragraphs with an empty line between them. */
export const reportText = ({ analysis, likelyCauses, suggestedActions }: AiReport): string =>
  [analysis, ...bulleted("Likely causes:", likelyCauses), ...bulleted("Suggested actions:", suggestedActions)].join("\n\n")

/** The check's text, and the report if it was written before the alert was sent. */
export const withReport = (text: string, ai: AiReport | null): string =>
  [...(text === "" ? [] : [text]), ...(ai === null ? [] : [`AI report: ${reportText(ai)}`])].join("\n\n")
