/** Descriptions of the fields of on-call schedules and deploys. */
export const onCallWords: Readonly<Record<string, string>> = {
  "OnCallOverride.end": "When it ends; later than its start, and than now",
  "Deploy.service": "Tag or name of the monitors that it is narrowed to; null for all",
  "deploy.service": "Tag or name of the monitors that it is narrowed to; null for all"
}
