# Joins what Nsight Compute counted with the rows of `bombard study reduction --once --csv`:
#   awk -f profile.awk COUNTERS STUDY.csv
# A row's kernels were launched in the order of the rows. Of a sum that takes several launches the first
# counts: it reads all the elements.

function launches(elements, block) {
  count = 0
  do {
    elements = int((elements + block - 1) / block)
    ++count
  } while (elements > 1)
  return count
}

# A value for each kernel and metric, every field in quotes.
FNR == NR {
  if ($0 !~ /^"/) next
  fields = split(substr($0, 2, length($0) - 2), field, /","/)
  if (field[1] == "ID") {
    for (i = 1; i <= fields; ++i) place[field[i]] = i
    next
  }
  gsub(/,/, "", field[place["Metric Value"]])
  value[field[place["ID"]] "," field[place["Metric Name"]]] = field[place["Metric Value"]]
  next
}

function counter(name) { return value[kernel "," name] }

# Of the branches, how many all threads of a warp take the same way; unknown where the compiler made
# predicates of all of them.
function uniformity() {
  percent = counter("smsp__sass_average_branch_targets_threads_uniform.pct")
  return percent > 0 ? sprintf("%.4g", percent / 100) : ""
}

# Sectors a request.
function each(kind) {
  requests = counter("l1tex__t_requests_pipe_lsu_mem_global_op_" kind ".sum")
  if (requests == 0) return 0
  return sprintf("%.3g", counter("l1tex__t_sectors_pipe_lsu_mem_global_op_" kind ".sum") / requests)
}

FNR == 1 {
  FS = ","
  print $0 ",load sectors/request,store sectors/request,load sectors,achieved occupancy,branch uniformity"
  kernel = 0
  next
}
{
  split($0, cell, ",")
  if (cell[3] ~ /loop|CUB|Eigen|bombard/) {
    print $0 ",,,,,"
    next
  }
  printf "%s,%s,%s,%d,%.3g,%s\n", $0, each("ld"), each("st"),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    counter("sm__warps_active.avg.pct_of_peak_sustained_active") / 100,
    uniformity()
  kernel += cell[4] > 0 ? launches(cell[2], cell[4]) : 1
}
