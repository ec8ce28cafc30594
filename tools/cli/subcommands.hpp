#pragma once

/// One function per subcommand. It takes the arguments after the name and returns the exit code: 0
/// when it is done, 1 when results differ. Throws InputError (2) and CannotRun (3); main() prints
/// and ends with them.
namespace bombard::tools {

int run(int argc, char** argv);
int validate(int argc, char** argv);
int generate(int argc, char** argv);
int devices(int argc, char** argv);
int solve(int argc, char** argv);
int study(int argc, char** argv);
int judge(int argc, char** argv);

/// `bombard --version`.
int version();

}  // namespace bombard::tools
