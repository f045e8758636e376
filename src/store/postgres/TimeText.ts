/** A time of a statement as the text that the wire has: ISO 8601 in UTC with milliseconds. */
export const timeText = (time: string): string => `to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
