/** The form of a monitor of a DNS lookup. */
import { DnsRecordType } from "../../../../../../schema/monitor/kinds/dns.ts"
import { Area, Select } from "../../../../design/Form.tsx"
import { hostField, type KindForm, slowField } from "../KindForm.tsx"
import { NumberSetting } from "../SettingFields.tsx"

export const dns: KindForm = {
  name: "DNS",
  about: "Looks up DNS records and compares their values.",
  main: (monitor) => (
    <>
      <div class="columns">
        {hostField(monitor, "example.com", "Name to look up")}
        <Select
          name="recordType"
          label="Record type"
          value={monitor?.recordType ?? "A"}
          options={DnsRecordType.literals.map((type) => [type, type])}
        />
      </div>
      <Area
        name="expected"
        as="lines"
        label="Values that must be in the answer"
        rows={3}
        value={monitor?.expected.join("\n")}
        hint="One per line, at most 20. Leave empty to accept any answer."
      />
    </>
  ),
  more: (monitor) => (
    <>
      <Area
        name="resolvers"
        as="lines"
        label="DNS servers, asked in order"
        rows={2}
        value={(monitor?.resolvers ?? []).join("\n")}
        hint="Addresses or host names, one per line, at most 5. Default: the resolvers of the probe's system."
      />
      <div class="columns">
        <NumberSetting name="port" label="Port of the servers" value={monitor?.port} placeholder="53" />
        {slowField(monitor)}
      </div>
    </>
  )
}
