/** The services by which this installation reaches people. So far mail: whether it is sent, its server's settings, and a test of it. */
import type { MailServerState, MailTest, ShownServer } from "../../../../schema/mail/MailServer.ts"
import { programCommand } from "../../../domain/workspace/ProgramCommand.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallForm, Field, Select, Submit, TryButton, useAnswerOf } from "../../design/Form.tsx"
import { Badge, Facts, Panel } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import { read, view } from "../../frame/View.ts"

const tlsNames = {
  implicit: "TLS from the start (usually port 465)",
  starttls: "STARTTLS, required (usually port 587)",
  opportunistic: "STARTTLS if the server offers it",
  none: "None: mail and password go unencrypted"
} as const satisfies Record<ShownServer["tls"], string>

const selectable = (["implicit", "starttls", "none"] as const).map((value) => [value, tlsNames[value]] as const)

const Command = () => (
  <p class="note">
    The operator of the server sets it here. On the server, run{" "}
    <code>{programCommand("sign-in-link you@example.com --operator")}</code> and open the link that it prints.
  </p>
)

const Status = ({ state: { mode, operator, problem, server, source } }: { readonly state: MailServerState }) => (
  <Panel id="mail" title="Mail">
    <p>
      {mode === "sent" ? <Badge tone="good">Sent</Badge> : <Badge tone="warn">Captured, not sent</Badge>}{" "}
      {mode === "sent" ? "Mail is sent through the mail server." : "No mail server is set."}
    </p>
    {problem === null ? null : <p class="outcome is-bad" role="alert">{problem}</p>}
    {mode === "sent" ? null : (
      <p class="note">
        Alerts, pages, invitations and sign-in links by email reach nobody. They are kept under <a href="/app/mail">Mail</a>.
      </p>
    )}
    <p class="note">
      Captured mail stays captured and is never sent later; only mail that is written after a server is set is sent. To deliver
      captured alerts after all, replay them under <a href="/app/deliveries?status=captured">Deliveries</a>.
    </p>
    {source === "environment"
      ? (
        <p class="note" id="environment">
          The environment variable <code>SMTP_URL</code>{" "}
          sets the mail server, so it cannot be changed here. Change the variable and restart.
        </p>
      )
      : operator
      ? null
      : <Command />}
    {server === null || source !== "environment" ? null : (
      <Facts
        of={[
          ["Host", server.host],
          ["Port", String(server.port)],
          ["Encryption", tlsNames[server.tls]],
          ["User", server.user ?? "None"],
          ["Password", server.password === null ? "None" : "Set"],
          ["Sender", server.from]
        ]}
      />
    )}
  </Panel>
)

const TestAnswer = ({ test: { accepted, durationMs, error, reply } }: { readonly test: MailTest }) => {
  const { millis } = useNumber()
  return (
    <p class={`outcome ${accepted ? "is-good" : "is-bad"}`} role={accepted ? "status" : "alert"}>
      <b>{accepted ? "The mail server accepted the test mail." : "The mail server did not accept the test mail."}</b> {error}
      {reply === null ? null : <span class="quoted">{reply}</span>} {millis(durationMs)}
    </p>
  )
}

const Recipient = ({ required }: { readonly required: boolean }) => (
  <Field
    name="testTo"
    type="email"
    label="Test recipient"
    required={required}
    hint={required ? undefined : "With an address, a test mail is sent first, and saving requires that the server accepts it."}
    attributes={{ maxlength: 254, autocomplete: "off" }}
  />
)

const SettingsForm = ({ sender, server }: { readonly server: ShownServer | null; readonly sender: string | null }) => {
  const tried = useAnswerOf("mail-server", "test_mail_server")
  return (
    <Panel id="mail-settings" title="Mail server">
      {tried === null ? null : <TestAnswer test={tried} />}
      <CallForm call="set_mail_server" id="mail-server" said="Mail server saved" copy={false}>
        <Field
          name="host"
          label="Host"
          required
          value={server?.host}
          hint="Such as smtp.example.com"
          attributes={{ maxlength: 253, autocomplete: "off" }}
        />
        <Field name="port" type="number" label="Port" required value={server?.port ?? 587} attributes={{ min: 1, max: 65_535 }} />
        <Select name="tls" label="Encryption" value={server?.tls ?? "starttls"} options={selectable} />
        <Field name="user" label="User" value={server?.user} attributes={{ maxlength: 254, autocomplete: "off" }} />
        <Field
          name="password"
          type="password"
          label="Password"
          hint={server === null || server.password === null
            ? "Encrypted at rest, and never shown again."
            : "One is set. Leave empty to keep it; enter it again to change host, port, encryption or user."}
          attributes={{ maxlength: 500, autocomplete: "new-password" }}
        />
        <Field name="from" label="Sender" required value={server?.from ?? sender} attributes={{ maxlength: 300 }} />
        <Recipient required={false} />
        <Buttons>
          <button>Save</button>
          <TryButton call="test_mail_server">Test without saving</TryButton>
        </Buttons>
      </CallForm>
    </Panel>
  )
}

const Remove = () => (
  <Confirm
    call="remove_mail_server"
    id="remove-mail-server"
    label="Remove the mail server"
    said="Mail server removed"
    lost="New mail is captured from then on. Mail that still waits is sent if a mail server is set before it expires."
  />
)

const TestForm = () => {
  const tested = useAnswerOf("test-mail", "test_mail_server")
  return (
    <Panel id="mail-test" title="Test">
      {tested === null
        ? <p class="note">Sends a test email through the current mail server, and shows its reply.</p>
        : <TestAnswer test={tested} />}
      <CallForm call="test_mail_server" id="test-mail" copy={false}>
        <Recipient required />
        <Submit look="plain">Send a test mail</Submit>
      </CallForm>
    </Panel>
  )
}

export const providersView = view("/app/providers", "providers", function*() {
  const state = yield* read("get_mail_server")
  const { operator, sender, server, source } = state
  return {
    title: "Providers",
    head: { note: "The services that send messages for all workspaces of this installation." },
    split: [
      [
        <Status state={state} />,
        operator && source !== "environment" ? <SettingsForm server={server} sender={sender} /> : null
      ],
      operator && source !== "none" ? [<TestForm />, source === "settings" ? <Remove /> : null] : null
    ]
  }
})
