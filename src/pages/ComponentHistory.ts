/** The daily history of a component as CSV (RFC 4180) and as JSON. */
import type { PublicComponent } from "../../schema/page/PublicPage.ts"

export type HistoryFormat = "csv" | "json"

export const componentHistory = (
  format: HistoryFormat,
  { days, id, key, name, status, uptimePercent }: PublicComponent
): string =>
  format === "json"
    ? JSON.stringify({ component: { id, key, name, status, uptimePercent }, days: days ?? [] })
    : [
      "date,uptimePercent,status,downSeconds",
      ...(days ?? []).map((day) => `${day.date},${day.uptimePercent ?? ""},${day.status},${day.downSeconds}`)
    ].join("\r\n") + "\r\n"
