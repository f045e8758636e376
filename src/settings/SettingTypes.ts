/** The kinds of values that settings have. Each reads one environment variable and says in one line what is wrong with it. */
import { Config, ConfigError, Either, Option, Redacted, Schema } from "effect"
import { readFileSync } from "node:fs"
import { parsedUrl } from "../../schema/UrlText.ts"
import { secretProblem } from "../domain/secret/SecretStrength.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"

interface SettingFacts {
  /** Its default as an operator would write it; null if it has none, or one that depends on other settings. */
  readonly byDefault: string | null
  /** Whether nobody may see its value. */
  readonly isSecret: boolean
}

/** Noted where a setting is declared, which avoids a second list. */
const facts = new Map<string, SettingFacts>()

/** Names that promise a secret, for settings of which nothing is noted. */
const soundsSecret = /SECRET|PASSWORD|TOKEN|_KEY$|_HEADERS$/

/** Facts about a setting that `belltower config` shows beside its value. */
export const factsOf = (name: string): SettingFacts => facts.get(name) ?? { byDefault: null, isSecret: soundsSecret.test(name) }

/** A setting with a default. */
export const orDefault = <A>(name: string, given: Config.Config<A>, value: A): Config.Config<A> => {
  facts.set(name, { byDefault: String(value), isSecret: false })
  return Config.withDefault(given, value)
}

/** A setting whose value nobody may see. */
export const secret = (name: string, given = Config.string(name)): Config.Config<Redacted.Redacted> => {
  facts.set(name, { byDefault: null, isSecret: true })
  return Config.map(given, Redacted.make)
}

/** A variable read by `parse`, whose left value is the problem. Apply defaults after this, or Config errors lose the name. */
export const variable = <A>(name: string, parse: (text: string) => Either.Either<A, string>) =>
  Config.mapOrFail(Config.string(name), (text) => Either.mapLeft(parse(text), (why) => ConfigError.InvalidData([], why)))

export const whole = (name: string, min: number, max: number, byDefault?: number) => {
  const given = variable(name, (text) => {
    const value = Number(text)
    return /^-?\d+$/.test(text.trim()) && value >= min && value <= max
      ? Either.right(value)
      : Either.left(`must be a whole number from ${min} to ${max}, not "${text}"`)
  })
  return byDefault === undefined ? given : orDefault(name, given, byDefault)
}

export const oneOf = <A extends string>(name: string, words: ReadonlyArray<A>) =>
  variable(
    name,
    (text) => Either.fromNullable(words.find((word) => word === text), () => `must be one of ${words.join(", ")}, not "${text}"`)
  )

/** Comma-separated items, each of which fits; surrounding whitespace is ignored. `what` says how they look. */
export const items = (name: string, fits: (item: string) => boolean, what: string) =>
  variable(name, (text) => {
    const all = commaList(text)
    const wrong = all.find((item) => !fits(item))
    return wrong === undefined ? Either.right(all) : Either.left(`must be ${what}, separated by commas, not "${wrong}"`)
  }).pipe(Config.withDefault<ReadonlyArray<string>>([]))

const hostName = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i

/** Host names, also with `*.` in front; `*` is all of them, where `hasAll`. */
export const hostNames = (name: string, hasAll: boolean) =>
  items(name, (item) => hostName.test(item) || (hasAll && item === "*"), "host names such as status.example.com or *.example.com")

export const requires = (name: string, why: string) => Either.left(ConfigError.InvalidData([name], `is also required: ${why}`))

/** Settings of which all are given, or none; `why` says so. The variables are in the order of the settings. */
export const allOrNone = <A extends Readonly<Record<string, Option.Option<unknown>>>>(
  variables: ReadonlyArray<string>,
  why: string,
  given: Config.Config<A>
) =>
  Config.mapOrFail(given, (found) => {
    const missing = Object.values(found).findIndex(Option.isNone)
    return missing < 0 || Object.values(found).every(Option.isNone)
      ? Either.right(Option.all(found))
      : requires(variables[missing] ?? "", why)
  })

export const url = (name: string, protocols: ReadonlyArray<string>) =>
  variable(name, (text) =>
    protocols.includes(parsedUrl(text)?.protocol ?? "")
      ? Either.right(text)
      : Either.left(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`))

/** An address to which paths are added; `isOwn` for that of this service, which answers at no path. */
export const baseAddress = (name: string, isOwn = false) =>
  url(name, ["http:", "https:"]).pipe(Config.mapOrFail((text) => {
    const { hash, password, pathname, search, username } = new URL(text)
    const path = isOwn && pathname !== "/" ? pathname : ""
    return username + password + search + hash + path === ""
      ? Either.right(text)
      : Either.left(ConfigError.InvalidData(
        [name],
        `must be an address alone, without a user, ${isOwn ? "a path, " : ""}a query (?) or a fragment (#)`
      ))
  }))

export const serviceUrl = (name: string, byDefault: string) =>
  orDefault(name, Config.map(baseAddress(name), (given) => withoutTrailing(given, "/")), byDefault)

/** A secret that nobody can guess; `wayOut` is what else to do about one that is in use. */
export const strongSecret = (name: string, wayOut = "") =>
  secret(
    name,
    variable(name, (text) => {
      const problem = secretProblem(text)
      return problem === null ? Either.right(text) : Either.left(`${problem}${wayOut}`)
    })
  )

const Arguments = Schema.parseJson(Schema.NonEmptyArray(Schema.NonEmptyString))

/** A program and its arguments, as JSON: no shell reads them. */
export const programCall = (name: string) =>
  variable(name, (text) =>
    Either.mapLeft(
      Schema.decodeEither(Arguments)(text),
      () => "must be a program and its arguments in JSON, such as [\"/usr/local/bin/read-secret\", \"belltower\"]"
    ))

export const onOrOff = (name: string, byDefault: "on" | "off") =>
  orDefault<"on" | "off">(name, oneOf(name, ["on", "off"]), byDefault).pipe(Config.map((word) => word === "on"))

/** The content of a file. The variable is its path, which is no secret. */
export const pemFile = (name: string) => {
  facts.set(name, { byDefault: null, isSecret: false })
  return variable(name, (path) =>
    Either.try({
      try: () => readFileSync(path, "utf8"),
      catch: () => `must be a file that can be read, not "${path}"`
    }).pipe(Either.filterOrLeft((text) => text.includes("-----BEGIN "), () => `must be a PEM file, and "${path}" is not`)))
}
