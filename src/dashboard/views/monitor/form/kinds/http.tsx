/** The form of a monitor of an HTTP request. */
import { HttpMethod } from "../../../../../../schema/monitor/kinds/http.ts"
import { Check, Select } from "../../../../design/Form.tsx"
import { bodyField, certificateFields, degradedFields, headersField, type KindForm, urlField } from "../KindForm.tsx"
import { TextSetting } from "../SettingFields.tsx"

export const http: KindForm = {
  name: "HTTP",
  about: "Requests a URL and checks the status code, latency, certificate and response.",
  main: (monitor) => (
    <>
      {urlField(monitor, "https://shop.example.com/health")}
      <div class="columns">
        <Select
          name="method"
          label="Method"
          value={monitor?.method ?? "GET"}
          options={HttpMethod.literals.map((method) => [method, method])}
        />
        <TextSetting
          name="expectedStatus"
          label="Accepted status codes"
          required
          value={monitor?.expectedStatus ?? "200-299"}
          hint="Codes and ranges, for example 200-299,304."
        />
      </div>
    </>
  ),
  more: (monitor) => (
    <>
      <div class="columns">
        <TextSetting name="keyword" label="Body must contain" value={monitor?.keyword} />
        <TextSetting name="keywordAbsent" label="Body must not contain" value={monitor?.keywordAbsent} />
        {degradedFields(monitor)}
      </div>
      {headersField(monitor)}
      {bodyField(monitor, "Request body")}
      <Check name="followRedirects" label="Follow redirects, at most 10" checked={monitor?.followRedirects ?? true} />
      {certificateFields(monitor)}
    </>
  ),
  assertions: ["status", "json", "header", "body", "latency", "ssl_days"]
}
