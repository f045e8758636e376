/** The set-up of an authenticator app: its secret as a QR code and as text, the first code, and the recovery codes. */
import { CallButton, CallForm, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { Box, Panel } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { readOrNull, view } from "../../frame/View.ts"

const path = "/app/security/2fa"

export const SetUp = () => (
  <CallButton call="set_up_second_factor" id="set-up" then={path} look="">Set up an authenticator app</CallButton>
)

/** Also takes a recovery code, if one exists. */
export const CodeField = ({ label }: { readonly label: string }) => (
  <Field
    name="code"
    as="word"
    label={label}
    required
    attributes={{ autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false", maxlength: 40 }}
  />
)

/** The codes appear only in the answer to their form. */
export const RecoveryCodes = ({ codes }: { readonly codes: ReadonlyArray<string> }) => (
  <div class="stack" data-answer>
    <p class="notice" role="status">Two-factor authentication is on. Your other sessions have ended.</p>
    <Panel id="recovery" title="Your recovery codes">
      <p>Each code works once in place of your authenticator app. Store them somewhere safe: you cannot see them again.</p>
      <ul class="codes" id="codes">{codes.map((code) => <li>{code}</li>)}</ul>
      <p>
        <a class="button" href="/app/security">I have saved my codes</a>
      </p>
    </Panel>
  </div>
)

const Secret = ({ setup: { qrSvg, secret } }: { readonly setup: AnswerOf<"pending_second_factor"> }) => (
  <Panel id="app" title="Your authenticator app">
    <p>Scan this QR code with your authenticator app:</p>
    <div class="qr" role="img" aria-label="QR code of the secret below" dangerouslySetInnerHTML={{ __html: qrSvg }} />
    <p>Or enter this secret in the app:</p>
    <p class="mono" id="secret">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</p>
    <CallForm call="enable_second_factor" id="enable">
      <Field
        name="code"
        as="word"
        label="Code shown in the app"
        required
        attributes={{ inputmode: "numeric", autocomplete: "one-time-code", maxlength: 10, autofocus: true }}
      />
      <Submit>Turn on</Submit>
    </CallForm>
    <p class="note">Turning it on signs you out of all other sessions.</p>
  </Panel>
)

const SecondFactorBody = ({ pending }: { readonly pending: AnswerOf<"pending_second_factor"> | null }) => {
  const enabled = useAnswerOf("enable", "enable_second_factor")
  return enabled !== null
    ? <RecoveryCodes codes={enabled.recoveryCodes} />
    : pending !== null
    ? <Secret setup={pending} />
    : (
      <Box>
        <p>With an authenticator app, signing in also takes a code from your phone.</p>
        <SetUp />
      </Box>
    )
}

export const secondFactorView = view(path, "account", function*() {
  const pending = yield* readOrNull("pending_second_factor")
  return {
    title: "Two-factor authentication",
    head: { title: "Set up an authenticator app", crumbs: [["/app/security", "Security"]] as const },
    body: <SecondFactorBody pending={pending} />
  }
})
