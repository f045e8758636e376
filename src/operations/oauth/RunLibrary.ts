/** Runs the OAuth library, whose model is made of promises, over effects. */
import OAuth2Server from "@node-oauth/oauth2-server"
import { type Cause, Effect, Exit, Runtime } from "effect"

/** A refusal in the words of OAuth: `invalid_grant` and so on. */
export interface OAuthRefusal {
  readonly status: number
  readonly error: string
  readonly description: string
}

/** Runs an effect of the model. What it fails with becomes the failure of the whole. */
export type RunInModel<E> = <A>(effect: Effect.Effect<A, E>) => Promise<A>

const refusalOf = ({ code, message, name }: OAuth2Server.OAuthError): OAuthRefusal => ({
  status: code,
  error: name,
  description: message
})

/** `use` calls the library with what runs the model's effects. Fails with the library's refusal, or as the model failed. */
export const runLibrary = <A, E = never>(
  use: (run: RunInModel<E>) => Promise<A>
): Effect.Effect<A, E | { readonly refusal: OAuthRefusal }> =>
  Effect.flatMap(Effect.runtime(), (runtime) => {
    let failed: Cause.Cause<E> | null = null
    const run: RunInModel<E> = async (effect) => {
      const exit = await Runtime.runPromiseExit(runtime, effect)
      if (Exit.isSuccess(exit)) return exit.value
      failed = exit.cause
      throw new OAuth2Server.ServerError("failed")
    }
    return Effect.catchAll(
      Effect.tryPromise({ try: () => use(run), catch: (thrown) => ({ thrown }) }),
      ({ thrown }): Effect.Effect<never, E | { readonly refusal: OAuthRefusal }> =>
        failed !== null
          ? Effect.failCause(failed)
          : thrown instanceof OAuth2Server.OAuthError
          ? Effect.fail({ refusal: refusalOf(thrown) })
          : Effect.die(thrown)
    )
  })
