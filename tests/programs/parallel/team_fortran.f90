! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! parallel from Fortran: team, data clauses, reductions of every intrinsic, allocatable arrays.
module bodies
  use check
  use omp_lib
  implicit none
contains

  subroutine exact_size(width) bind(c)
    integer(c_int), value :: width
    integer :: seen(0:63), level
    seen = 0
    level = omp_get_level()
    !$omp parallel num_threads(width) shared(seen)
    call expect(omp_get_num_threads() == width, "team size")
    call expect(omp_get_level() == level + 1, "level")
    !$omp atomic
    seen(omp_get_thread_num()) = seen(omp_get_thread_num()) + 1
    !$omp end parallel
    call expect(all(seen(0:width - 1) == 1) .and. all(seen(width:) == 0), "every number once")
  end subroutine exact_size

  subroutine data_clauses(width) bind(c)
    integer(c_int), value :: width
    integer :: first, own, me
    real, allocatable :: work(:)
    allocate (work(10))
    work = 2.5
    first = 7
    own = 3
    !$omp parallel num_threads(width) default(none) shared(width) firstprivate(first, work) private(own, me)
    me = omp_get_thread_num()
    call expect(first == 7 .and. all(work == 2.5), "firstprivate starts with the value outside")
    first = first + me
    work = real(me)
    own = me
    !$omp barrier
    call expect(first == 7 + me .and. own == me .and. all(work == real(me)), "copies are apart")
    !$omp end parallel
    call expect(first == 7 .and. own == 3 .and. all(work == 2.5), "originals untouched")
  end subroutine data_clauses

  subroutine reductions(width) bind(c)
    integer(c_int), value :: width
    integer :: i, total, product, low, high, anded, ored, xored
    logical :: every, some, same, different
    real(8) :: x
    complex :: z
    total = 1; product = 1; low = 1000; high = -1000; anded = -1; ored = 0; xored = 0
    every = .true.; some = .false.; same = .true.; different = .false.
    x = 0; z = 0
    !$omp parallel do num_threads(width) reduction(+:total, x, z) reduction(*:product) reduction(min:low) &
    !$omp& reduction(max:high) reduction(iand:anded) reduction(ior:ored) reduction(ieor:xored) &
    !$omp& reduction(.and.:every) reduction(.or.:some) reduction(.eqv.:same) reduction(.neqv.:different)
    do i = 1, 100
       total = total + i
       if (mod(i, 25) == 0) product = product * 3
       low = min(low, i - 50)
       high = max(high, i)
       anded = iand(anded, not(ishft(1, mod(i, 3))))
       ored = ior(ored, ishft(1, mod(i, 5)))
       xored = ieor(xored, i)
       every = every .and. i > 0
       some = some .or. i == 77
       same = same .eqv. (i <= 99)
       different = different .neqv. (i == 3)
       x = x + 0.5d0
       z = z + (1.0, -1.0)
    end do
    call expect(total == 5051, "+")
    call expect(product == 81, "*")
    call expect(low == -49 .and. high == 100, "min, max")
    call expect(anded == -8 .and. ored == 31 .and. xored == 100, "iand, ior, ieor")
    call expect(every .and. some, ".and., .or.")
    call expect((same .eqv. .false.) .and. different, ".eqv., .neqv.")
    call expect(x == 50 .and. z == (100.0, -100.0), "real, complex")
  end subroutine reductions

  subroutine array_reduction(width) bind(c)
    integer(c_int), value :: width
    integer :: i
    integer :: fixed(4)
    integer, allocatable :: grown(:, :)
    allocate (grown(3, 5))
    fixed = 0
    grown = 1
    !$omp parallel do num_threads(width) reduction(+:fixed, grown) schedule(dynamic, 2)
    do i = 0, 59
       fixed(1 + mod(i, 4)) = fixed(1 + mod(i, 4)) + 1
       grown(1 + mod(i, 3), 1 + mod(i, 5)) = grown(1 + mod(i, 3), 1 + mod(i, 5)) + i
    end do
    call expect(all(fixed == 15), "fixed array")
    call expect(sum(grown) == 15 + 1770, "allocatable array")
  end subroutine array_reduction

  subroutine nested(width) bind(c)
    integer(c_int), value :: width
    integer :: leaves, outer
    leaves = 0
    !$omp parallel num_threads(width) private(outer) reduction(+:leaves)
    outer = omp_get_thread_num()
    !$omp parallel num_threads(3) reduction(+:leaves)
    call expect(omp_get_ancestor_thread_num(omp_get_level() - 1) == outer, "parent's number")
    call expect(omp_get_team_size(omp_get_level()) == 3, "team size")
    leaves = leaves + 1
    !$omp end parallel
    !$omp end parallel
    call expect(leaves == 3 * width, "leaves")
  end subroutine nested

  subroutine workshare(width) bind(c)
    integer(c_int), value :: width
    real :: a(50), b(50)
    integer :: i
    a = [(real(i), i=1, 50)]
    !$omp parallel num_threads(width) shared(a, b)
    !$omp workshare
    b = a * 2
    a = b + 1
    where (a > 51) a = 0
    !$omp end workshare
    call expect(a(1) == 3 .and. a(50) == 0 .and. b(50) == 100, "workshare")
    !$omp end parallel
    !$omp parallel workshare num_threads(width)
    b = a
    !$omp end parallel workshare
    call expect(all(a == b), "parallel workshare")
  end subroutine workshare

end module bodies

program team_fortran
  use bodies
  call run_check("exact-size", exact_size)
  call run_check("data-clauses", data_clauses)
  call run_check("reductions", reductions)
  call run_check("array-reduction", array_reduction)
  call run_check("nested", nested)
  call run_check("workshare", workshare)
  call finish()
end program team_fortran
