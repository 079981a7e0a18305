/** Where functions outside of the hub find their kubeconfigs: each under its own name, and read only by that function. */
export type KubeconfigStore = Readonly<{
  /** Returns a function's kubeconfig as text; undefined where there is none yet. */
  read(functionName: string): Promise<string | undefined>;
  /** Replaces a function's kubeconfig as a whole, or creates it. */
  write(functionName: string, kubeconfig: string): Promise<void>;
  close(): void;
}>;
